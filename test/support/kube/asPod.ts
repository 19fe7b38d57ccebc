const MOUNTED = `mount -t tmpfs none /run && mkdir -p /run/secrets/kubernetes.io/serviceaccount /run/pod &&
  mount --bind "$0" /run/secrets/kubernetes.io/serviceaccount && mount --bind "$1" /run/pod && shift && exec "$@"`;

/** A command that runs its arguments with a service account mounted where a pod has it, and a folder at /run/pod, for this
 *  process only. Needs root. @param account the folder of the account */
export function asPod(account: string, folder = account): readonly string[] {
  return ['unshare', '--mount', 'sh', '-c', MOUNTED, account, folder];
}
