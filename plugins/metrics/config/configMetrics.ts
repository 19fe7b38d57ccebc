import type { KernelEvent, ReloadReport } from 'pegboard';
import type { Metric } from '../../contracts/metrics.ts';
import { Tally } from '../../kit/metrics/tally.ts';

/** Loads of the configuration. */
export class ConfigMetrics {
  readonly #reloads = new Tally();
  #last: ReloadReport['issues'] = [];

  take(event: KernelEvent): void {
    if (event.type !== 'config.applied' && event.type !== 'config.rejected') return;
    this.#last = event.report.issues;
    this.#reloads.add({ result: event.type === 'config.applied' ? 'applied' : 'rejected' });
  }

  get metrics(): readonly Metric[] {
    return [
      {
        name: 'pegboard.config.reloads',
        kind: 'counter',
        unit: '{reload}',
        description: 'Loads of the configuration by result: applied, or rejected as a whole.',
        read: () => this.#reloads.samples(),
      },
      {
        name: 'pegboard.config.files.refused',
        kind: 'gauge',
        unit: '{file}',
        description: 'Files with an error at the last load: their last good version is in force.',
        read: () => [{ value: this.#refused }],
      },
    ];
  }

  get #refused(): number {
    const wrong = this.#last.filter(({ severity }) => severity === 'error');
    return new Set(wrong.map(({ file }) => file)).size;
  }
}
