/** Text at the head or foot of each page: a little page of its own; words of the client are text in it and nothing else. */
export function runningText(text = '', today = new Date()): string {
  const parts = text.split(/(\{page\}|\{pages\}|\{date\})/).map((part) => {
    switch (part) {
      case '{page}':
        return '<span class="pageNumber"></span>'
      case '{pages}':
        return '<span class="totalPages"></span>'
      case '{date}':
        return today.toISOString().slice(0, 10)
      default:
        return part.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
    }
  })
  return `<div style="width:100%;text-align:center;font:9px sans-serif;white-space:pre-wrap">${parts.join('')}</div>`
}
