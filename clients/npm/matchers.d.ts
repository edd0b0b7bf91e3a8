/** For `expect.extend(matchers)`: toSay, toHaveSaid, toHavePinged, toHaveRefusedNothing. */
export const matchers: Record<string, (received: any, ...expected: any[]) => any>;
