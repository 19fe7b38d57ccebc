/** Skips the suite or the test aloud for users who cannot mount. */
export function needRoot(suite: Mocha.Context): void {
  if (process.getuid?.() === 0) return;
  console.log('      SKIPPED: only root can mount; run the heavy tests as root');
  suite.skip();
}
