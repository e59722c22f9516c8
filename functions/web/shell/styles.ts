/**
 * Adopts the style sheets of a section, which come as text with its chunk and stay active. The content security
 * policy allows no inline styles.
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
