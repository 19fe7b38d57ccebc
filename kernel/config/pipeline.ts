import type { ConfigControl, Issue, ReloadReport } from '../contracts/config.ts';
import type { JsonObject, JsonSchema } from '../contracts/json.ts';
import type { Wanted } from '../contracts/plugin.ts';
import type { Configured, Review } from '../contracts/configured.ts';
import type { Origin, Resource, ResourceDraft, ResourceKind } from '../contracts/resource.ts';
import type { Env, Settings } from '../contracts/settings.ts';
import { GatewayError, isGatewayError, messageOf } from '../errors.ts';
import type { Actions, Kernel } from '../kernel.ts';
import { isError } from '../lib/isError.ts';
import { singleFlight } from '../lib/singleFlight.ts';
import type { Log, LogLevel } from '../log.ts';
import { placeText } from '../lib/placeText.ts';
import { diffResources, keyOf } from './diff.ts';
import { pluginIssue, setIssue, wantedPlugins } from './plugins.ts';
import { acceptResources, checkResource, type LoadedResources } from './resources.ts';
import { defaultSettings, loadSettings, type LoadedSettings } from './settings.ts';

export interface PipelineOptions {
  readonly directory: string;
  readonly env: Env;
  readonly log: Log;
  /** Settings from the command line; they override config.yaml while the process runs. */
  readonly flags?: JsonObject;
  /** Where what they say is located. */
  readonly placed?: (file: Origin) => Origin;
}

/** Thrown by boot(): lists every problem, not only the first. */
export class BootFailure extends Error {
  readonly issues: readonly Issue[];
  constructor(issues: readonly Issue[]) {
    super(`the configuration has ${issues.length} problem${issues.length === 1 ? '' : 's'}`);
    this.issues = issues;
  }
}

/** The only place where a configuration is applied: settings, plan and swap, definitions, diff, apply, report. */
export class Pipeline implements ConfigControl {
  readonly directory: string;
  readonly #options: PipelineOptions;
  readonly #kernel: () => Kernel;
  #edits: ((file: JsonObject) => JsonObject) | undefined;
  #isHeld: (text: string) => boolean = () => false;
  #settings: Settings | undefined;
  text = '';
  #resources: readonly Resource[] = [];
  #generation = 0;
  #report: ReloadReport | undefined;
  #faults: Issue[] = [];
  #isBoot = false;
  /** Why every further reload fails: the boot failed, or Pegboard is stopping. */
  #closed: Error | undefined;
  readonly reload: () => Promise<ReloadReport>;

  /** @param kernel called late, because kernel and pipeline refer to each other */
  constructor(options: PipelineOptions, kernel: () => Kernel) {
    this.directory = options.directory;
    this.#options = options;
    this.#kernel = kernel;
    this.reload = singleFlight(() => {
      if (this.#closed !== undefined) return Promise.reject(this.#closed);
      const isBoot = this.#isBoot;
      this.#isBoot = false;
      return this.#run(isBoot);
    });
  }

  settings(): Settings {
    if (this.#settings === undefined)
      throw new GatewayError('CONFIG_INVALID', 'no configuration is loaded yet');
    return this.#settings;
  }
  /** Undefined while no configuration is loaded. */
  get logLevel(): LogLevel | undefined {
    return this.#settings?.aggregator.logLevel;
  }
  resources(kind: string): readonly Resource[] {
    return this.#resources.filter((resource) => resource.kind === kind);
  }
  kinds(): readonly ResourceKind[] {
    return this.#kernel().running.flatMap(({ plugin }) => plugin.kinds ?? []);
  }
  configSchemas(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries(this.#kernel().running.map(({ plugin }) => [plugin.name, plugin.configSchema]));
  }
  lastReport(): ReloadReport | undefined {
    return this.#report;
  }
  amend(edits: ((file: JsonObject) => JsonObject) | undefined): void {
    this.#edits = edits;
  }
  hold(isHeld: (text: string) => boolean = () => false): void {
    this.#isHeld = isHeld;
  }
  validate(kind: string, name: string, spec: JsonObject): readonly Issue[] {
    return checkResource({ kind, name, spec, origin: { locate: () => ({}) } }, this.kinds()).issues;
  }

  /** Called by the kernel when an onConfigApply or onEvent tap throws. */
  recordFault(plugin: string, error: GatewayError): void {
    this.#options.log.error('plugin failed in a hook', { plugin, error });
    this.#faults.push({ severity: 'error', code: error.code, message: error.message });
  }

  /** The first run; a definition with errors is left out unless its store is strict.
   *  @throws BootFailure with every issue; nothing runs then */
  async boot(): Promise<ReloadReport> {
    this.#isBoot = true;
    this.#kernel().hold();
    try {
      return await this.reload();
    } catch (error) {
      this.#closed = error as Error;
      throw error;
    }
  }

  /** Refuses further runs and waits for the current one: plugins must not be stopped while they start. */
  async close(): Promise<void> {
    const text = 'pegboard is stopping; the configuration is not read any more';
    this.#closed ??= new GatewayError('PLUGIN_STOPPED', text);
    await this.reload().catch(() => undefined);
  }

  /** Reads and checks the whole configuration without starting anything; resources() then returns the accepted definitions.
   *  @param review checks the configuration as a whole; not called if config.yaml is broken */
  async check(review: Review = () => Promise.resolve([])): Promise<readonly Issue[]> {
    const read = await this.#readSettings();
    const { settings, issues, wanted, origin } = read;
    if (settings === undefined || issues.some(isError)) return this.#withDefinitions(issues);
    let found: readonly Issue[];
    try {
      found = await this.#rehearsed(settings, wanted);
    } catch (error) {
      return this.#withDefinitions([...issues, await setIssue(error, { settings, origin })]);
    }
    const reviewed = await review({
      ...this.#options,
      ...read,
      settings,
      kinds: this.kinds(),
      resources: this.#resources,
      tools: this.#kernel().catalogue.owned.map(({ tool }) => tool.name),
      place: (plugin, finding) => pluginIssue(plugin, finding, { settings, origin }),
    });
    return [...issues, ...found, ...reviewed];
  }

  async #run(isBoot: boolean): Promise<ReloadReport> {
    const startedAt = performance.now();
    this.#faults = [];
    const { actions, applied, issues } = await this.#moveTo(await this.#readSettings(), isBoot);
    const { resources, isStrict, issues: ofDefinitions } = await this.#loadResources();
    const found = [...issues, ...ofDefinitions];
    const refusesStart = (one: Issue): boolean => isError(one) && (isStrict || one.definition === undefined);
    if (isBoot && found.some(refusesStart)) await this.#giveUp(found);
    const diff = diffResources(this.#resources, resources);
    this.#resources = resources;
    if (Object.values(diff).some(({ length }) => length > 0))
      await this.#kernel().bus.hooks.onConfigApply.promise(diff);
    if (isBoot)
      await this.#kernel()
        .open()
        .catch((error: unknown) => this.#giveUp([...found, this.#issueOf(error)]));
    const report: ReloadReport = {
      generation: ++this.#generation,
      applied,
      actions: Object.fromEntries([...actions].filter(([, action]) => action !== 'keep')),
      diff: {
        added: diff.added.map(keyOf),
        changed: diff.changed.map(keyOf),
        removed: diff.removed.map(keyOf),
      },
      issues: [...found, ...this.#faults],
      ms: Math.round(performance.now() - startedAt),
    };
    this.#tell(report, isBoot);
    return report;
  }

  async #giveUp(issues: readonly Issue[]): Promise<never> {
    await this.#kernel().stop();
    throw new BootFailure(issues);
  }

  /** After the start, a broken config.yaml leaves the running plugins alone; definitions are still loaded. */
  async #moveTo(
    read: ReadSettings,
    isBoot: boolean,
  ): Promise<{ actions: Actions; applied: boolean; issues: readonly Issue[] }> {
    const issues = [...read.issues];
    const next = read.settings;
    if (next !== undefined && !issues.some(isError)) {
      const former = this.#settings;
      this.#settings = next;
      try {
        const actions = await this.#kernel().move(read.wanted);
        this.text = read.text;
        return { actions, applied: true, issues };
      } catch (error) {
        this.#settings = former;
        issues.push(await setIssue(error, { settings: next, origin: read.origin }));
      }
    }
    if (isBoot) throw new BootFailure(await this.#withDefinitions(issues));
    return { actions: new Map(), applied: false, issues };
  }

  /** If config.yaml is broken, the default plugins check the definitions, so that one run reports every problem. */
  async #withDefinitions(found: readonly Issue[]): Promise<readonly Issue[]> {
    const settings = defaultSettings();
    const origin = { locate: () => ({}) };
    const { wanted, issues } = await wantedPlugins({ ...this.#options, settings, origin });
    const rehearse = (): Promise<readonly Issue[]> =>
      this.#rehearsed(settings, wanted).then(
        (ofAll) => ofAll.filter(({ file }) => file !== undefined),
        (error: unknown) => [this.#issueOf(error)],
      );
    // Without every default plugin, definitions cannot be checked.
    const more = issues.length > 0 ? issues : await rehearse();
    const known = new Set(found.map(({ message }) => message));
    return [...found, ...more.filter(({ message }) => !known.has(message))];
  }

  /** @throws GatewayError why the plugins cannot be wired */
  async #rehearsed(settings: Settings, wanted: readonly Wanted[]): Promise<readonly Issue[]> {
    this.#settings = settings;
    await this.#kernel().rehearse(wanted);
    const { resources, issues } = acceptResources(await this.#draft(), this.kinds(), []);
    this.#resources = resources;
    return issues;
  }

  async #readSettings(): Promise<ReadSettings> {
    const { directory, env, flags, placed } = this.#options;
    const amended = (file: JsonObject): readonly unknown[] => [this.#edits?.(file) ?? {}, flags ?? {}];
    const before = { text: this.text, isHeld: this.#isHeld };
    const loaded = await loadSettings(directory, amended, before, placed);
    const { settings, rest = defaultSettings(), origin, issues } = loaded;
    const inForce = { required: this.#settings?.required ?? [], running: this.#kernel().running };
    const isPartial = settings === undefined;
    const context = { settings: settings ?? rest, origin, directory, env, inForce, isPartial };
    const found = await wantedPlugins(context);
    const set = isPartial ? { wanted: [], off: [] } : found;
    return { ...loaded, ...set, issues: [...issues, ...found.issues] };
  }

  async #loadResources(): Promise<LoadedResources> {
    try {
      return acceptResources(await this.#draft(), this.kinds(), this.#resources);
    } catch (error) {
      return { resources: this.#resources, issues: [this.#issueOf(error)], isStrict: false };
    }
  }

  #draft(): Promise<ResourceDraft> {
    return this.#kernel().bus.hooks.onConfigLoad.promise({ resources: [], unreadable: [], issues: [] });
  }

  #issueOf(error: unknown): Issue {
    const code = isGatewayError(error) ? error.code : 'PLUGIN_START';
    return { severity: 'error', code, message: messageOf(error) };
  }

  #tell(report: ReloadReport, isBoot: boolean): void {
    const { log } = this.#options;
    const told = new Set(this.#report?.issues.map(issueKey));
    const fresh = report.issues.filter((issue) => !told.has(issueKey(issue)));
    for (const { severity, code, message, ...place } of fresh)
      log[severity === 'error' ? 'error' : 'warn'](message, { code, at: placeText(place) });
    const { generation, actions, diff, ms } = report;
    const changes = Object.entries({ actions, ...diff }).filter(([, of]) => Object.keys(of).length > 0);
    const facts = { generation, ...Object.fromEntries(changes), ms };
    if (!isBoot && changes.length > 0) log.info('configuration applied', facts);
    if (this.#report?.applied === false && report.applied)
      log.warn('config.yaml is valid again and in force');
    this.#report = report;
    this.#kernel().emit({ type: report.applied ? 'config.applied' : 'config.rejected', report });
  }
}

type ReadSettings = LoadedSettings & Pick<Configured, 'wanted' | 'off'>;

function issueKey({ message, ...place }: Issue): string {
  return `${placeText(place) ?? ''} ${message}`;
}
