/** Rules of a section come with its chunk, as text, and hold from then on. The policy of the page allows no inline ones. */
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
