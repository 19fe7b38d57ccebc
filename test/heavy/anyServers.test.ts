import { driveAnyServers } from '../plugins/upstream/driveAnyServers.ts';

describe('upstream: 200 servers that answer in any way, for two hours', () => {
  for (const seed of [1, 7_000])
    it(`are asked once a second at most in the mean, and used once they work (seed ${seed})`, async () => {
      const { worstMean, worstMinute, longestSilence, longestAway } = await driveAnyServers({
        servers: 200,
        minutes: 120,
        seed,
      });
      const round = (value: number): string => value.toFixed(2);
      process.stdout.write(
        `      requests a second: ${round(worstMean)} at most in the mean, ${round(worstMinute)} in the worst minute; ` +
          `asked again after ${round(longestSilence)} s at most, used after ${round(longestAway)} s\n`,
      );
    });
});
