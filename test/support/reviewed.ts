/** What `pegboard check` finds in a configuration as a whole. */
export { review } from '../../plugins/check/review.ts';
