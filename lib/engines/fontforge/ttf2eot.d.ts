declare module 'ttf2eot' {
  /** The bytes of a TrueType font as Embedded OpenType. */
  export default function ttf2eot(font: Uint8Array): Uint8Array
}
