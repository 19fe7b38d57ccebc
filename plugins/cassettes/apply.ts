import { ConfigControl, STAGE, ToolTable } from 'pegboard';
import type { Resource, Scope } from 'pegboard';
import { CallSecrets } from '../contracts/secrets.ts';
import { secretsIn } from '../kit/secrets/secretsIn.ts';
import type { RecordConfig } from './config.ts';
import { CassetteRecorder } from './cassetteRecorder.ts';
import type { SecretsByServer } from './cassetteRecorder.ts';

export function apply(scope: Scope<RecordConfig>): void {
  const control = (): ConfigControl => scope.get(ConfigControl);
  const recorder = new CassetteRecorder(scope.config, {
    log: scope.log,
    table: () => scope.get(ToolTable),
    callSecrets: () => scope.all(CallSecrets),
    directory: () => control().directory,
  });
  const learn = (resources: readonly Resource[], known: SecretsByServer = new Map()): void => {
    const { directory } = control();
    const found = resources.map(({ name, spec }) => [name, secretsIn(spec, directory)] as const);
    recorder.learn(new Map([...known, ...found]));
  };
  const learnAll = (): void => learn(control().resources('MCPServer'));
  scope.tap('onToolRegister', (tool) => recorder.register(tool), STAGE.last);
  scope.tap('onConfigApply', learnAll);
  scope.tap('onEvent', (event) => {
    if (event.type === 'call.settled') recorder.take(event);
    if (event.type === 'server.toolsChanged') {
      // A cassette lists all tools, which are registered when they are looked up.
      const table = scope.get(ToolTable);
      for (const name of [...event.changed, ...event.added]) table.shared(name);
    }
    if (event.type !== 'server.connected') return;
    // The server's references were resolved again, possibly to other values.
    const connected = control()
      .resources('MCPServer')
      .filter(({ name }) => name === event.server);
    learn(connected, recorder.secrets);
  });
  scope.onStart(learnAll);
  scope.onReload((next) => recorder.adopt(next));
}
