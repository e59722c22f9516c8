/**
 * Types that a browser may show in its own window: none of them can run anything. What is not here (HTML, SVG, XML and
 * all that nobody thought of) is saved, whatever a link asks for. A PDF is, too: it may hold scripts, and Chromium shows
 * none in the sandbox that all files are in (https://crbug.com/271452).
 */
const inlineTypes: readonly string[] = [
  ...['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/apng', 'image/bmp'],
  ...['image/tiff', 'image/heic', 'image/heif', 'image/jxl', 'image/x-icon', 'image/vnd.microsoft.icon'],
  ...['audio/mpeg', 'audio/mp4', 'audio/aac', 'audio/ogg', 'audio/opus', 'audio/wav', 'audio/x-wav'],
  ...['audio/flac', 'audio/x-flac', 'audio/webm', 'audio/vnd.wave'],
  ...['video/mp4', 'video/webm', 'video/ogg', 'video/quicktime', 'video/x-matroska', 'video/x-m4v'],
  ...['text/plain', 'application/json'],
]

export const canShowInline = (mimeType: string): boolean =>
  inlineTypes.includes(mimeType.split(';')[0]?.trim().toLowerCase() ?? '')
