// Generated from schemas/config/pods.schema.json by npm run tables.
export interface PodsConfig {
  /** Image of Pegboard, from which each pod copies Node.js and the bridge. It has to be there. */
  readonly image?: string;
  /** Labels of the gateway's pods: only these reach the pods of servers. They have to be there. */
  readonly gatewayLabels?: Readonly<Record<string, string>>;
  /** Namespace of the gateway's pods, if it is not that of the definitions. */
  readonly gatewayNamespace?: string;
  /** Names of the Secrets with which images are pulled, in the namespace of the definitions. */
  readonly imagePullSecrets: readonly string[];
  /** Memory of a pod; a definition may only lower it. 0: unlimited. */
  readonly memoryMb: number;
  /** Processors of a pod; a definition may only lower it. */
  readonly cpus: number;
  /** Size of the home of a pod, and of its /tmp; they are lost with the pod. */
  readonly homeMb: number;
  /** Number of the user, and of the group, as which servers run. */
  readonly user: number;
  /** Port of the bridge in a pod. */
  readonly port: number;
  /** Port at which the kubelet asks a pod whether it is ready. */
  readonly healthPort: number;
  /** How often the objects in the cluster are compared with the definitions; a changed definition is followed
   *  at once. */
  readonly everySeconds: number;
}
