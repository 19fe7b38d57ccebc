export interface StoreKubernetesConfig {
  /** A copy of the top-level section. */
  readonly writesAsCaller: { readonly orchestratorAudience: string };
  /** Name of a context of the kubeconfig; absent: its current one. Not used inside a cluster. */
  readonly context?: string;
  readonly startWaitMs: number;
  readonly requestTimeoutMs: number;
  readonly lease: string;
  readonly leaseSeconds: number;
}
