/** Keys and certificates for TLS connections, PEM. */
export interface KubeTls {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** The name in the server's certificate, where it is not the host of the address. */
  readonly servername?: string | undefined;
  readonly skipTlsVerify: boolean;
}
export interface KubeIdentity {
  /** The same object until something in it has changed. */
  readonly tls: KubeTls;
  /** The whole `Authorization` header; absent where a client certificate says who we are. */
  readonly authorization?: string | undefined;
}
/** Where the API server is, and who Pegboard is there. */
export interface KubeCredentials {
  readonly server: URL;
  /** Namespace of the pod, or of the kubeconfig's context. */
  readonly namespace: string | undefined;
  /** What to do when the API server accepts them no longer. */
  readonly cure: string;
  /** What counts now: tokens and certificates rotate. @throws KubeError `credentials` */
  current(): Promise<KubeIdentity>;
  /** The API server has answered 401: the next `current` reads anew. */
  refused(): void;
}
