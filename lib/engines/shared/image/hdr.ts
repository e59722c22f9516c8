/** Luminance in cd/m² of diffuse white (BT.2408), and of the display that HDR videos and images usually target. */
export const [whiteNits, peakNits] = [203, 1000] as const

/** Value relative to white up to which light stays unchanged; brighter light is compressed. */
export const knee = 0.7

/** Returns the text of the warning about a conversion from HDR. @param kind `PQ` or `HLG` */
export const describeHdrConversion = (mediaKind: 'image' | 'video', kind: string): string =>
  `The ${mediaKind} has high dynamic range (${kind}); its colors were converted to standard dynamic range.`
