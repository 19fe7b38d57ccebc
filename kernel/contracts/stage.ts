/** Stages have meanings: identify sets `request.caller`, admit refuses, narrow reduces what is visible. */
export const STAGE = { identify: 10, admit: 20, narrow: 30, normal: 50, last: 90 } as const;
