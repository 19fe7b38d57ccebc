// Generated from schemas/config/store-kubernetes.schema.json by npm run tables.
export interface StoreKubernetesConfig {
  /** Taken from writesAsCaller. */
  readonly writesAsCaller: {
    /** Taken from writesAsCaller.orchestratorAudience. */
    readonly orchestratorAudience: string;
  };
  /** Context of the kubeconfig; the current one when absent. With it, the service account of a pod is not used. */
  readonly context?: string;
  /** Further namespaces whose MCPServers and Workflows are read, beside namespace, in the order in which they
   *  get a name that several have. */
  readonly namespaces: readonly string[];
  /** Whether WorkflowExecution objects show inputs, results and texts of errors, of all callers; else these are
   *  sealed, and only Pegboard reads them. */
  readonly content: boolean;
  /** How long a start waits for the Kubernetes API before it fails. */
  readonly startWaitMs: number;
  /** How long one request to the Kubernetes API may take. */
  readonly requestTimeoutMs: number;
  /** Name of the Lease by which one of several processes is chosen to write status and Events. */
  readonly lease: string;
  /** Time without a renewal after which another process takes the Lease over. */
  readonly leaseSeconds: number;
}
