/** Stages have meanings: first sees what the others refuse, identify sets `request.caller`, admit refuses, narrow reduces what
 *  is visible, tool is next to the tool. */
export const STAGE = {
  first: 0,
  identify: 10,
  admit: 20,
  narrow: 30,
  normal: 50,
  last: 90,
  tool: 100,
} as const;
