import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { actionWords, readAction } from '../../kit/faults/action.ts';
import { actionAt } from '../../kit/faults/remedy.ts';
import type { Gateway } from '../gateway.ts';
import type { DoctorFinding } from './doctorFinding.ts';

export interface Explained {
  readonly findings: readonly DoctorFinding[];
  /** The tool's server. */
  readonly server: string | undefined;
}

/** The layers that decide whether this caller sees a tool and may call it. @throws Failure */
export async function toolFindings(gateway: Gateway, name: string): Promise<Explained> {
  const { layers, server, remedy, near } = await gateway.read('explain_tool', { name });
  const [close] = (near ?? []) as readonly string[];
  const found = close === undefined ? 'pegboard list tools' : `pegboard doctor ${close}`;
  const owner = isObject(server) && typeof server['name'] === 'string' ? server['name'] : undefined;
  const list = (Array.isArray(layers) ? layers : []) as readonly JsonObject[];
  const findings = list.map((layer): DoctorFinding => {
    const subject = String(layer['layer']);
    const message = String(layer['reason']);
    if (layer['allow'] !== false) return { level: 'ok', subject, message };
    const action = readAction(layer['action']);
    const words =
      action === undefined ? (layer['remedy'] ?? remedy) : actionWords(actionAt(action, owner), 'shell');
    const fix = String(subject === 'catalogue' ? found : words);
    return { level: 'error', subject, message, fix };
  });
  return { findings, server: owner };
}
