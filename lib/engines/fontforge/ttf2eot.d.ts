declare module 'ttf2eot' {
  /** Converts a TrueType font to Embedded OpenType. */
  export default function ttf2eot(font: Uint8Array): Uint8Array
}
