/** A metric as a collector gets it. */
export interface ReceivedMetric {
  readonly name: string;
  readonly unit: string;
  readonly kind: 'gauge' | 'sum' | 'histogram';
  /** Values by labels, as `server=git state=ready`; for a histogram the numbers of values. */
  readonly values: Readonly<Record<string, number>>;
  readonly resource: Readonly<Record<string, string>>;
}
