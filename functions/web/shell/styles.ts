/**
 * Adopts the style sheets of a section, which are part of its chunk as text and stay active. Constructed style sheets
 * are needed because the content security policy forbids inline styles.
 */
export function adoptStyles(...texts: readonly string[]): void {
  document.adoptedStyleSheets = [
    ...document.adoptedStyleSheets,
    ...texts.map((text) => {
      const sheet = new CSSStyleSheet()
      sheet.replaceSync(text)
      return sheet
    }),
  ]
}
