/**
 * MIME types that a browser may show inline, because they cannot run scripts. All other files (HTML, SVG, XML and
 * unknown types) are saved, whatever a link requests. So are PDFs: they may contain scripts, and Chromium does not show
 * them in the sandbox in which all files are served (https://crbug.com/271452).
 */
const inlineMimeTypes: readonly string[] = [
  ...['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/apng', 'image/bmp'],
  ...['image/tiff', 'image/heic', 'image/heif', 'image/jxl', 'image/x-icon', 'image/vnd.microsoft.icon'],
  ...['audio/mpeg', 'audio/mp4', 'audio/aac', 'audio/ogg', 'audio/opus', 'audio/wav', 'audio/x-wav'],
  ...['audio/flac', 'audio/x-flac', 'audio/webm', 'audio/vnd.wave'],
  ...['video/mp4', 'video/webm', 'video/ogg', 'video/quicktime', 'video/x-matroska', 'video/x-m4v'],
  ...['text/plain', 'application/json'],
]

export const canShowInline = (mimeType: string): boolean =>
  inlineMimeTypes.includes(mimeType.split(';')[0]?.trim().toLowerCase() ?? '')
