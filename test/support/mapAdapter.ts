type Payload = Record<string, unknown>;

export interface MapStore {
  /** `adapter` of oidc-provider. */
  readonly adapter: (model: string) => object;
  /** Forgets all records of a model. */
  readonly forget: (model: string) => void;
}
export interface MapStoreOptions {
  /** How long a refresh token that was used can be used again, in seconds. Default: 0. */
  readonly reuseSeconds?: number;
  /** Metadata of a client that is not in the store. */
  readonly fetchClient?: (id: string) => Promise<Payload | undefined>;
}

/** A store of oidc-provider that keeps all: that of the package forgets beyond 1,000 records. */
export function mapStore({ reuseSeconds = 0, fetchClient }: MapStoreOptions = {}): MapStore {
  const recordsByModel = new Map<string, Map<string, Payload>>();
  const recordsOf = (model: string): Map<string, Payload> => {
    const records = recordsByModel.get(model) ?? new Map<string, Payload>();
    recordsByModel.set(model, records);
    return records;
  };
  const idsByGrant = new Map<string, [string, string][]>();
  const seconds = (): number => Math.floor(Date.now() / 1_000);
  /** As authorization servers do whose clients may lose an answer. */
  const isReusable = ({ consumed }: Payload): boolean =>
    typeof consumed === 'number' && seconds() - consumed < reuseSeconds;

  const adapter = (model: string): object => {
    const records = recordsOf(model);
    const findBy = (key: string, value: string): Promise<Payload | undefined> =>
      Promise.resolve([...records.values()].find((record) => record[key] === value));
    return {
      find: async (id: string) => {
        const record = records.get(id) ?? (model === 'Client' ? await fetchClient?.(id) : undefined);
        return record !== undefined && isReusable(record) ? { ...record, consumed: undefined } : record;
      },
      findByUid: (uid: string) => findBy('uid', uid),
      findByUserCode: (userCode: string) => findBy('userCode', userCode),
      upsert: (id: string, payload: Payload) => {
        records.set(id, payload);
        const { grantId } = payload;
        if (typeof grantId === 'string')
          idsByGrant.set(grantId, [...(idsByGrant.get(grantId) ?? []), [model, id]]);
        return Promise.resolve();
      },
      consume: (id: string) => {
        const record = records.get(id);
        if (record !== undefined) record['consumed'] ??= seconds();
        return Promise.resolve();
      },
      destroy: (id: string) => Promise.resolve(records.delete(id)),
      revokeByGrantId: (grantId: string) => {
        for (const [of, id] of idsByGrant.get(grantId) ?? []) recordsOf(of).delete(id);
        idsByGrant.delete(grantId);
        return Promise.resolve();
      },
    };
  };
  return { adapter, forget: (model) => recordsOf(model).clear() };
}
