/** Whether an issue refuses the change, rather than warn of it. */
export function isError({ severity }: { readonly severity: 'error' | 'warning' }): boolean {
  return severity === 'error';
}
