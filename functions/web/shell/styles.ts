/**
 * Adopts the style sheets of a section, which its chunk contains as text; they stay active. Constructed style sheets
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
