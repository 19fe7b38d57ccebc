import { ConfigControl, STAGE, ToolTable, definePlugin, readSchema } from 'pegboard';
import type { KernelEvent, Scope, Settings } from 'pegboard';
import type { RecordConfig } from './config.ts';
import { findingsIn } from './findings.ts';
import { Recorder } from './recorder.ts';
import type { Settled } from './recorder.ts';
import { secretsIn } from './secrets.ts';

/** What servers answer, on cassettes that `pegboard-replay` serves in their place. Runs once it is configured. */
export const plugin = definePlugin<RecordConfig>({
  name: 'record',
  api: 1,
  configSchema: readSchema('config/record'),
  enabled: hasConfig,
  requires: [ConfigControl, ToolTable],
  check: findingsIn,
  apply,
});

/** Any configuration at all, so that a faulty one is reported. */
function hasConfig({ plugins }: Settings): boolean {
  const entry = plugins['record'];
  return typeof entry === 'object' && Object.keys(entry.config ?? {}).length > 0;
}

function apply(scope: Scope<RecordConfig>): void {
  const control = (): ConfigControl => scope.get(ConfigControl);
  const recorder = new Recorder(scope.config, {
    log: scope.log,
    table: () => scope.get(ToolTable),
    directory: () => control().directory,
  });
  const learn = (): void => {
    const { directory } = control();
    recorder.learn(
      control()
        .resources('MCPServer')
        .flatMap(({ spec }) => secretsIn(spec, directory)),
    );
  };
  scope.tap('onToolRegister', (tool) => recorder.register(tool), STAGE.last);
  scope.tap('onConfigApply', learn);
  scope.tap('onEvent', (event) => {
    // References are filled whenever a server is connected: another value may stand there by now.
    if (event.type === 'server.connected') learn();
    if (isSettled(event)) recorder.take(event);
  });
  scope.onStart(learn);
  scope.onReload((next) => recorder.adopt(next));
}

function isSettled(event: KernelEvent): event is KernelEvent & Settled {
  return event.type === 'call.settled';
}
