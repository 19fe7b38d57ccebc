/** Whether an issue is an error, which refuses the change, and not a warning. */
export function isError({ severity }: { readonly severity: 'error' | 'warning' }): boolean {
  return severity === 'error';
}
