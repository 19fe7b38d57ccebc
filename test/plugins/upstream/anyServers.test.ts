import { driveAnyServers } from './driveAnyServers.ts';

describe('upstream: servers that answer in any way', () => {
  it('are asked once a second at most in the mean, and are used within a minute once they work', async () => {
    await driveAnyServers({ servers: 40, minutes: 20, seed: 100 });
  });
});
