/** Ends a helper process when its parent is gone, even by `kill -9`: its standard input closes. */
export function endWithParent(): void {
  process.stdin.on('end', () => process.exit(0)).on('error', () => process.exit(0));
  process.stdin.resume();
}
