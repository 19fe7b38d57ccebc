import { GatewayError, isGatewayError } from 'pegboard';

/** Runs `write`; errors name the file and the fix. @throws GatewayError STORE_FORBIDDEN, STORE_UNREACHABLE, and those of `write` */
export async function writing<T>(file: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (isGatewayError(error)) throw error;
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    if (['EACCES', 'EPERM', 'EROFS'].includes(code)) {
      const fix = 'make its folder writable for this process, or edit it where it comes from';
      throw new GatewayError('STORE_FORBIDDEN', `${file} cannot be written (${code}); ${fix}`, {
        cause: error,
      });
    }
    throw new GatewayError('STORE_UNREACHABLE', `${file} cannot be written (${code})`, { cause: error });
  }
}
