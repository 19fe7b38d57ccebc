export interface TracingConfig {
  readonly content: boolean;
  readonly maxContentChars: number;
}
