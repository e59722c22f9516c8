/** Returns an HTML template for the header or footer of each page; the client's text is escaped. */
export function buildHeaderFooterHtml(text = '', today = new Date()): string {
  const segments = text.split(/(\{page\}|\{pages\}|\{date\})/).map((segment) => {
    switch (segment) {
      case '{page}':
        return '<span class="pageNumber"></span>'
      case '{pages}':
        return '<span class="totalPages"></span>'
      case '{date}':
        return today.toISOString().slice(0, 10)
      default:
        return segment.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
    }
  })
  return `<div style="width:100%;text-align:center;font:9px sans-serif;white-space:pre-wrap">${segments.join('')}</div>`
}
