import type { KernelEvent, Log } from 'pegboard';
import type { GrantEvent, GrantNotice, GrantState } from '../../../contracts/credentials.ts';
import { LOSSES } from '../record/losses.ts';
import type { GrantRecord } from '../record/grantRecord.ts';
import type { ErrorWords } from '../record/errorWords.ts';

interface Told {
  readonly state: GrantState;
  /** What core_events shows it as. */
  readonly reason: string;
  readonly message: string;
  readonly severity?: 'Warning';
  readonly facts?: Pick<GrantNotice, 'loss' | 'scopes'>;
  /** Facts for the log only. */
  readonly words?: ErrorWords | undefined;
}

/** Reports what happens to grants, each change once: by the process that writes it. Never shows a credential. */
export class GrantNews {
  readonly #log: Log;
  readonly #emit: (event: KernelEvent) => void;

  constructor(log: Log, emit: (event: KernelEvent) => void) {
    this.#log = log;
    this.#emit = emit;
  }

  asked(record: GrantRecord): void {
    this.#tell('grant.asked', record, {
      state: 'asked',
      reason: 'MCPServerGrantAsked',
      message: 'a link to sign in was given out',
    });
  }
  granted(record: GrantRecord): void {
    this.#tell('grant.granted', record, {
      state: 'valid',
      reason: 'MCPServerGrantGranted',
      message: 'a caller has signed in',
    });
  }
  refreshed(record: GrantRecord): void {
    this.#tell('grant.refreshed', record, {
      state: 'valid',
      reason: 'MCPServerGrantRefreshed',
      message: 'the authorization server gave new tokens',
    });
  }
  expiring(record: GrantRecord): void {
    this.#tell('grant.expiring', record, {
      state: 'expiring',
      reason: 'MCPServerGrantExpiring',
      severity: 'Warning',
      message: `a grant could not be refreshed yet: ${record.trouble?.reason ?? ''}`,
    });
  }
  /** @param words what the authorization server has said, for the log */
  lost(record: GrantRecord, words?: ErrorWords): void {
    const loss = record.lost?.loss;
    this.#tell('grant.lost', record, {
      state: 'lost',
      reason: 'MCPServerGrantLost',
      severity: 'Warning',
      message: `a grant is lost, its holder has to sign in again: ${loss === undefined ? '' : LOSSES[loss]}`,
      facts: { ...(loss !== undefined && { loss }) },
      words,
    });
  }
  dropped(record: GrantRecord): void {
    this.#tell('grant.dropped', record, {
      state: 'none',
      reason: 'MCPServerGrantDropped',
      message: 'a grant was discarded',
    });
  }
  /** The server wants more scopes than the grant has. */
  stepUp(record: GrantRecord): void {
    const scopes = (record.missingScopes ?? []).join(' ');
    this.#tell('grant.stepUp', record, {
      state: 'valid',
      reason: 'MCPServerGrantStepUp',
      severity: 'Warning',
      message: `a call has lacked scopes: ${scopes}`,
      facts: { scopes },
    });
  }

  #tell(type: GrantEvent, { owner: holder, server, person }: GrantRecord, told: Told): void {
    const { state, reason, message, severity = 'Normal', facts, words } = told;
    const isWarning = severity === 'Warning' && type !== 'grant.stepUp';
    this.#log[isWarning ? 'warn' : 'info'](TEXTS[type], {
      server,
      holder,
      ...facts,
      ...words,
      ...(isWarning && { reason: message }),
    });
    const notice: GrantNotice = {
      server,
      holder,
      state,
      reason,
      severity,
      owner: person,
      ...facts,
      message: `MCPServer ${server}: ${message}`,
    };
    this.#emit({ type, ...notice } as KernelEvent<GrantEvent>);
  }
}

const TEXTS: Readonly<Record<GrantEvent, string>> = {
  'grant.asked': 'a link to sign in at a server was given out',
  'grant.granted': 'a caller has signed in at a server',
  'grant.refreshed': 'a grant was refreshed',
  'grant.expiring': 'a grant could not be refreshed yet',
  'grant.lost': 'a grant is lost',
  'grant.dropped': 'a grant was discarded',
  'grant.stepUp': 'a server wants more scopes',
};
