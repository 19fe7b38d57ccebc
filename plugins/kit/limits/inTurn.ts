/** Makes a function that runs work one piece after another, in the order of its calls. Work that fails does not stop the next.
 *  @returns what the work returns; rejects as it does */
export function inTurn(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work, work);
    last = turn;
    return turn;
  };
}
