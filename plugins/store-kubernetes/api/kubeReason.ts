/** A reason as the API conventions want it: one of our codes in CamelCase, and the code at the head of the message, where no bound
 *  cuts it off. Source: https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md */
export function kubeReason<T extends { readonly reason: string; readonly message: string }>(told: T): T {
  const { reason, message } = told;
  if (!/^[A-Z0-9]+(_[A-Z0-9]+)+$/.test(reason)) return told;
  const words = reason.split('_').map((word) => `${word.slice(0, 1)}${word.slice(1).toLowerCase()}`);
  return { ...told, reason: words.join(''), message: `${reason}: ${message}` };
}
