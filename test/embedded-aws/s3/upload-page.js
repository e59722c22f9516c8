// The script of a page that uploads to S3 at another origin. The test provides `sign`, which returns presigned URLs.

const PART_BYTES = 5 * 1024 * 1024

/** Returns the same bytes each time, like a file that is selected again after a reload. */
function makeFile(size) {
  const bytes = new Uint8Array(size)
  for (let at = 0; at < size; at++) bytes[at] = at * 31 + (at >> 8)
  return new Blob([bytes])
}

const textOf = (xml, name) => [...xml.getElementsByTagName(name)].map(({ textContent }) => textContent)

/** Returns what a page can read of a response: nothing, if S3 does not allow its origin. */
async function ask(method, url, body, headers) {
  try {
    const response = await fetch(url, { method, body, headers })
    const xml = new DOMParser().parseFromString(await response.text(), 'text/xml')
    const [code] = textOf(xml, 'Code')
    return { status: response.status, code, etag: response.headers.get('etag'), xml }
  } catch {
    return { status: 0 }
  }
}

/** Uploads a file, in a form if there are fields. */
window.upload = async ({ url, type, size, fields }) => {
  const file = new Blob([makeFile(size)], { type })
  const form = new FormData()
  for (const [name, value] of Object.entries(fields ?? {})) form.set(name, value)
  form.set('file', file)
  const { status, code, etag } = fields ? await ask('POST', url, form) : await ask('PUT', url, file)
  return { status, code, etag }
}

/** Uploads the missing parts of an upload that this page may have started before it was reloaded. */
window.uploadInParts = async (size) => {
  const file = makeFile(size)
  localStorage.uploadId ??= await window.sign('create')
  const { uploadId } = localStorage
  const list = async () => (await ask('GET', await window.sign('list', uploadId))).xml
  const there = new Set(textOf(await list(), 'PartNumber').map(Number))
  for (let number = 1; (number - 1) * PART_BYTES < size; number++)
    if (!there.has(number))
      await sendPart(
        await window.sign('part', uploadId, number),
        file.slice((number - 1) * PART_BYTES, number * PART_BYTES),
        () => window.progress(number),
      )
  const xml = await list()
  const etags = textOf(xml, 'ETag')
  const parts = textOf(xml, 'PartNumber').map(
    (number, at) => `<Part><PartNumber>${number}</PartNumber><ETag>${etags[at]}</ETag></Part>`,
  )
  const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`
  const { status } = await ask('POST', await window.sign('complete', uploadId), body)
  return { status, already: [...there] }
}

/** Doesn't use fetch, which does not report the progress of an upload. */
function sendPart(url, part, progress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.upload.onprogress = progress
    request.onerror = () => reject(new Error('the connection broke'))
    // Readable only because the CORS rule exposes it.
    request.onload = () => (request.getResponseHeader('etag') ? resolve() : reject(new Error('no ETag')))
    request.open('PUT', url)
    request.send(part)
  })
}
