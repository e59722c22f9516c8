/**
 * Short hints for people, keyed by the API's description, which is written for developers. A description without an
 * entry is shown unchanged; an empty hint hides it, if the label says everything.
 */
const hints: Readonly<Record<string, string>> = {
  '0 is fastest, 9 makes the smallest file; the pixels do not change.':
    '0 is fastest, 9 makes the smallest file. The image stays the same.',
  '0 is fastest, 9 makes the smallest archive; the files in it do not change.':
    '0 is fastest, 9 makes the smallest archive.',
  '0.01 is barely visible, 1 is opaque. A percentage such as 30% is also accepted.':
    '0.01 is faint, 1 is solid. Percentages like 30% work too.',
  '1 to 100, or low, medium, high, highest. A higher quality makes a larger file.':
    'Higher quality means a larger file.',
  '1 to 100, or low, medium, high, highest. A lower quality makes a smaller file.':
    'Lower quality means a smaller file.',
  '1 to 100; takes precedence over quality.': 'Overrides the general quality setting.',
  '240p to 4k set the shorter side; a size such as 1280x720 is a box that the video is fitted into. The aspect ratio is kept.':
    'The shorter side, or a size like 1280x720 to fit into. Aspect ratio is kept.',
  'A comment or caption.': 'A comment or caption.',
  'A page is blank when at most this percentage of it is darker than paper.':
    'Pages with less ink than this count as blank.',
  'A3, A4, A5, Letter, Legal, or width and height such as `210x297mm` (mm, cm, in, pt)':
    'A standard size, or your own width and height.',
  'Also print background colors and images.': 'Include background colors and images.',
  'Run the scripts of the page, such as those that draw charts. They have no network access.':
    'Run the scripts of the page, such as those that draw charts. They have no network access.',
  'Also removes links to websites and other files.': 'Removes links to websites and other files.',
  'Allows changing a signed PDF, which invalidates its signatures. Without this option, a signed PDF is refused.':
    'Change the PDF even though its signatures become invalid.',
  'Also removes title, author and other metadata.': 'Removes title, author and other metadata.',
  'An empty value removes the field; if the option is omitted, the field is kept. The other metadata fields work the same way.':
    'Leave unchanged to keep it; clear to remove it.',
  'Creation date, such as 2026-01-31 or 2026-01-31T12:00:00Z.': 'Date of creation.',
  'Audio codec; copy keeps the audio stream unchanged if possible.':
    '“Copy unchanged” keeps the audio as it is, if possible.',
  'Bits per color channel: fewer bits give fewer, larger shapes.': 'Lower values give fewer, larger shapes.',
  'Bits per second of each audio track, such as 128k, if the codec supports different bit rates.':
    'For example 128k. Applies where supported.',
  'Bits per second of the video track, such as 2M.': 'For example 2M.',
  'Capture the whole page, not only what fits in the window.':
    'Capture the whole page, not just the visible part.',
  'Channels of each audio track: 1 for mono, 2 for stereo, 6 for 5.1; limited by the codec.':
    '1 is mono, 2 is stereo, 6 is 5.1 surround.',
  'Color behind transparent parts, such as #ff8800 or white. By default, transparency is kept if the codec supports it; otherwise transparent parts become white in animations and black in videos.':
    'Color for transparent areas. Leave empty to keep transparency where possible.',
  'Color behind transparent parts, such as #ff8800. Defaults to white if the format has no transparency; otherwise they stay transparent.':
    'Color for transparent areas. Defaults to white if the format has no transparency.',
  'Constant quality: lower is better. The maximum for h264 and h265 is 51.':
    'Lower is better. H.264 and H.265 go up to 51.',
  'Degrees clockwise, in addition to the rotation stored by the camera.':
    'In addition to the camera’s orientation.',
  'Degrees clockwise: 90, 180, 270 or -90.': 'Rotates the pages clockwise.',
  'Distance from the edge, such as 24pt or 10mm.': 'For example 24pt or 10mm.',
  'Dithering method for colors that are not in the palette.':
    'How colors that are not in the palette are imitated.',
  'Encodes in two passes: meets the bit rate more precisely but takes twice as long.':
    'Meets the bitrate more precisely, but takes twice as long.',
  'Encoding of the input text, such as windows-1251, iso-8859-2, koi8-r, shift_jis, gb18030, big5, euc-kr or utf-16le. Detected by default or with auto, with a warning if it had to be guessed; a byte order mark in the file takes precedence.':
    'Detected automatically. Change it if characters look wrong.',
  'End time, as HH:MM:SS.ms or seconds.': 'End time, e.g. 00:01:30.5 or 90.5 seconds.',
  'End time, as HH:MM:SS.ms.': 'End time, e.g. 00:01:30.5',
  'Every font is embedded, so that pages look the same everywhere; false has no effect and causes a warning':
    'All fonts are embedded, so pages look the same everywhere.',
  'Everything darker than this brightness, in percent, is traced.': 'Everything darker than this is traced.',
  'Files to extract, by name or path in the archive; * matches any characters and ? a single one, such as docs/*.pdf. Defaults to all files.':
    'File names or paths, for example docs/*.pdf. Leave empty for all files.',
  'First removes all existing metadata, such as location, camera and software; the appearance stays the same.':
    'Removes location, camera and program data. The image looks the same.',
  'The format only names fonts and never embeds them; setting this option causes a warning.':
    'This format only names fonts, it can’t embed them.',
  "Footer text of every page, replacing the document's own; {page}, {pages} and {date} are filled in":
    'Replaces the document’s footer. {page}, {pages} and {date} are filled in.',
  'For bw: everything darker than this brightness, in percent, is black.':
    'For black and white: everything darker than this becomes black.',
  'Frames per second.': '',
  "Header text of every page, replacing the document's own; {page}, {pages} and {date} are filled in":
    'Replaces the document’s header. {page}, {pages} and {date} are filled in.',
  'Height in pixels. The width is scaled to match unless it is set too.':
    'Leave width or height empty to keep the proportions.',
  'Height of the bitmaps in pixels': 'Height of the bitmaps.',
  'Height of the window in pixels.': 'Height of the browser window.',
  'How much corners are rounded: 0 keeps all of them sharp, 100 rounds all of them.':
    '0 keeps all corners sharp, 100 rounds them all.',
  'How many times the animation plays; 0 means forever.': '0 plays forever.',
  'How to arrange the images: vertical in a column, horizontal in a row, grid in rows and columns.':
    'How the images are arranged.',
  'Image resolution: screen 72 dpi, ebook 150, printer and prepress 300.':
    'Sets the resolution of the images.',
  'Keep only these characters: as text, or as ranges such as U+0020-007E,U+20AC':
    'Type the characters, or ranges like U+0020-007E, U+20AC.',
  'Keeps every pixel exactly; quality then sets the compression effort. By default, true for images of up to 256 colors, whose edges would otherwise blur.':
    'Keeps every pixel exactly. Quality then sets the compression effort.',
  'Landscape (true) or portrait (false) for every page; by default, as in the document':
    'Landscape or portrait. Default: as in the document.',
  'Languages of the text in images, at most 5 joined by +, the main one first: eng, deu, fra, spa, ita, por, nld, pol, rus, ukr, tur, ara, hin, jpn, kor, chi-sim, chi-tra.':
    'Languages of the text in images, the main one first. Up to 5.',
  'Keeps all font sizes of the document.': 'Keeps all font sizes of the document.',
  'Area to keep, instead of margins: its distance from the left and top edges, its width and its height, in points.':
    'Left, top, width and height in points, instead of margins.',
  'Password that lifts the restrictions. Defaults to the value of password, or to a random one if permissions are restricted.':
    'Needed to change the permissions. Default: the password, or a random one.',
  'Longest side in pixels; larger pages are scaled down.': 'Larger pages are scaled down to this size.',
  'Replaces straight quotes, double hyphens and three dots with typographic characters.':
    'Turns straight quotes, double hyphens and three dots into typographic ones.',
  'Margin at the bottom of every page, such as 20mm, 2cm, 1in or 72pt': 'For example 20mm, 2cm, 1in or 72pt.',
  'Margin at the left of every page, such as 20mm, 2cm, 1in or 72pt': 'For example 20mm, 2cm, 1in or 72pt.',
  'Margin at the right of every page, such as 20mm, 2cm, 1in or 72pt': 'For example 20mm, 2cm, 1in or 72pt.',
  'Margin at the top of every page, such as 20mm, 2cm, 1in or 72pt': 'For example 20mm, 2cm, 1in or 72pt.',
  'Margins in pt from 0 to 200: one number for all sides, four such as "top,bottom,left,right" or "top/bottom/left/right", or by side such as "top=10,left=20". Omitted sides default to 5.':
    'One number for all sides, or four for top, bottom, left and right, for example 10,10,20,20.',
  'Maximum length of the longest side in pixels; larger images are scaled down.':
    'Larger images are scaled down to this size.',
  'Maximum size in bytes, or a size such as 500k or 2M: first the frame rate and then the dimensions are reduced until the file fits.':
    'For example 500k or 2M. Frame rate and dimensions are reduced until the file fits.',
  'Maximum size in bytes; the best quality that fits is used.':
    'Uses the best quality that keeps the file within this size.',
  'Maximum size of the result in bytes, or a size such as 500k or 8M. Use it instead of quality.':
    'For example 500k or 8M. Use it instead of quality.',
  'Maximum size of the result in bytes; image quality is reduced until it fits.':
    'Image quality is reduced until the file fits.',
  'Maximum size of the result in bytes; quality and then dimensions are reduced until it fits.':
    'Reduces the quality first, then the dimensions, until the file fits.',
  'Minimum distance from the edge, in points or pixels. By default, a 25th of the shorter side; less if there is no room.':
    'Minimum distance from the edge. Leave empty to set it automatically.',
  'Quality preset; web is the same as ebook, and max makes the smallest file.':
    'Sets the resolution of the images.',
  'Password for the new archive (AES-256). In a 7z it also encrypts the file names.':
    'Required to open the archive. A 7z hides the file names as well.',
  'New page order, such as 3,1,2. Pages not named follow in their original order.':
    'For example 3,1,2. Other pages follow in their original order.',
  'Number of columns of a contact sheet with frames evenly spaced over the video. A single frame if rows and columns are omitted; if only one of them is set, the other has the same value.':
    'Makes a contact sheet. Leave rows and columns empty for a single frame.',
  'Number of images, evenly spaced over the video.': 'Evenly spaced over the video.',
  'Number of pages, starting with the first; each becomes an image.': 'The first pages, each as an image.',
  'Number of rows of a contact sheet with frames evenly spaced over the video. A single frame if rows and columns are omitted; if only one of them is set, the other has the same value.':
    'Makes a contact sheet. Leave rows and columns empty for a single frame.',
  'Number printed on the first numbered page.': 'The number on the first page.',
  'One file per range, such as 1-3,4-last. Defaults to one file per page.':
    'One file per range, for example 1-3, 4-last. Empty = one file per page.',
  'Password of a protected archive. The result is not protected.':
    'Only for protected archives. The result is not protected.',
  'Outlines as curves (spline), straight lines (polygon) or pixel steps (pixel).':
    'How the outlines of shapes are drawn.',
  'PDF/A part and conformance level.': 'PDF/A part and conformance level.',
  'Page numbers and ranges such as 1-5,10,15-last. A range may run backward. Defaults to all pages.':
    'For example 1-5, 10, 15-last. Empty = all pages.',
  'Pages to extract, in the order you want, such as 1,3,5 or 7-last.':
    'Pages to extract, in the order you want, for example 1, 3, 5 or 7-last.',
  'Pages to change, such as 1-5,10,15-last. Defaults to all pages.':
    'For example 1-5, 10, 15-last. Empty = all pages.',
  'Pages to remove, such as 2,4.': 'Pages to remove, for example 2, 4.',
  'Pages to search. Defaults to all pages.': 'Pages to search. Empty = all pages.',
  'Password for the files that need one. The result is not encrypted.':
    'Only for protected files. The result is not protected.',
  'Password of a protected document.': 'Only for protected documents.',
  'Password that readers need to open the result.': 'Required to open the PDF.',
  'Password to open the PDF, if it needs one.': 'Only for protected PDFs.',
  'Password to open the PDF, if it needs one. Most tools protect the result with the same password.':
    'Only for protected PDFs.',
  'Password to open the PDF. Not needed when only its permissions are restricted.':
    'Not needed if only the permissions are restricted.',
  'Password to open the source, if it needs one.': 'Only if the PDF is already protected.',
  'Pixels of the image per pixel of the page, 0.5 to 4.': '2 doubles the resolution.',
  'Pixels per inch at which vector drawings are rendered; 96 keeps the drawing’s own size in pixels.':
    'Higher values make a larger, sharper image. 96 is the original size.',
  'Pixels per inch of the drawing.': 'Higher values make a sharper, larger image.',
  'Pixels per inch.': 'Higher values make a sharper, larger image.',
  'Width of the box for the thumbnail, in pixels. When left out, it follows from the height; when both are left out, the box is 256 by 256.':
    'Leave width or height empty to keep the proportions. Default: 256 × 256.',
  'Height of the box for the thumbnail, in pixels. When left out, it follows from the width; when both are left out, the box is 256 by 256.':
    'Leave width or height empty to keep the proportions. Default: 256 × 256.',
  'Plays the animation forward, then backward.': 'Plays forward, then backward.',
  'Font size in points on a page, or in pixels on an image or video. By default, as large as fits well.':
    'Leave empty to fit automatically.',
  'Font size in points.': '',
  'Position of the page number on the page.': '',
  'Program that created the PDF.': 'The program that created the PDF.',
  'Program that created the original document.': 'The program that created the original document.',
  'Embeds the fonts that the document uses, if they are available.':
    'Embeds the document’s fonts, if available.',
  'Reduces the image to at most 256 colors: the file becomes much smaller, but the colors are not exact.':
    'At most 256 colors: much smaller, but less exact.',
  'Removes all existing metadata first.': '',
  'Rotates the video clockwise by this many degrees.': 'Rotates the video clockwise.',
  'Samples per second; the nearest rate that the codec supports is used.':
    'The nearest supported rate is used.',
  'Seconds of silence between two files.': 'Seconds of silence between two files.',
  'Shrink sheets that are wider than the page, so that no column is moved to another page':
    'Shrinks wide sheets so that no column moves to another page.',
  'Scale of the content on the page, 0.1 to 2.': '1 is the original size.',
  'Size of the body text in pt, 4 to 60; other font sizes scale with it. Defaults to the size of the profile.':
    'Other sizes are scaled to match. Default: suits the e-reader.',
  'Sizes of the images in the icon, 1 to 256 pixels, such as 16,32,48. Defaults to the common sizes.':
    'For example 16,32,48. Leave empty for the common sizes.',
  'Slower presets make smaller files of the same quality.':
    'Slower presets make smaller files of the same quality.',
  'Removes speckles of up to this many pixels.': 'Smaller speckles are removed.',
  'Removes speckles smaller than this many pixels on a side.': 'Smaller speckles are removed.',
  'Start time, as HH:MM:SS.ms or seconds.': 'Start time, e.g. 00:00:10 or 10.5 seconds.',
  'Start time, as HH:MM:SS.ms.': 'Start time, e.g. 00:00:10',
  'Straightens skewed pages; their images are re-encoded.':
    'Straightens skewed scans. Their images are re-encoded.',
  'A color such as #ff0000, or a name such as red.': 'A color name, or a value like #ff0000.',
  'Terms to remove permanently, ignoring case: a list, or separated by commas.':
    'Words or phrases to remove permanently, separated by commas. Upper/lower case is ignored.',
  'Text in any script. Send either this or an image as an additional file.':
    'Text in any language, or add an image instead.',
  'Text such as `Page {page} of {pages}`.': 'For example Page {page} of {pages}.',
  'The device that images and font sizes are optimized for, such as kindle_pw3, tablet or generic_eink.':
    'Images and font sizes are adapted to this device.',
  'The image appears coarse at first and sharpens while it loads.':
    'Appears quickly and sharpens while loading.',
  'Time of the frame, as HH:MM:SS.ms or seconds; if count is more than 1, the time of the first frame. Defaults to a frame that is not blank, about a third into the video.':
    'Time of the (first) frame, e.g. 00:00:10. Leave empty to choose automatically.',
  'Time of the frame, as HH:MM:SS.ms or seconds; for a contact sheet, the time of its first frame. Defaults to a frame that is not blank.':
    'Time of the (first) frame, e.g. 00:00:10. Leave empty to choose automatically.',
  'Traces the light parts instead of the dark ones.': 'Traces the light areas instead of the dark ones.',
  'Video codec; copy keeps the video stream unchanged if possible.':
    '“Copy unchanged” keeps the video as it is, if possible.',
  'Volume factor: 0.5 halves the volume, 2 doubles it.': '0.5 is half as loud, 2 is twice as loud.',
  'Separator of the fields in the input table: comma, semicolon, tab, pipe, space, colon or another character. Detected from the first lines by default or with auto.':
    'Field separator of the CSV file. Detected automatically by default.',
  'Position of the watermark. By default, diagonal for text and center for an image; tile repeats it.':
    'Default: diagonal for text, centered for an image.',
  'Whether readers may add comments.': '',
  'Whether readers may edit the pages.': '',
  'Whether readers may copy text and images.': '',
  'Whether readers may fill in forms.': '',
  'Whether readers may print.': '',
  'Whether the first line of the input table contains column names. If true, a spreadsheet shows this line in bold and repeats it on each printed or PDF page. If false, a document shows it as an ordinary row.':
    'The header row is bold and repeated on each printed page.',
  'Number of the font in a collection, starting at 1': 'Number of the font in the collection, starting at 1.',
  'The author, or the artist of a song.': 'The author, or the artist of a song.',
  'Width in pixels; by default at most 480. The aspect ratio is kept.':
    'Default: up to 480. Aspect ratio is kept.',
  'Width in pixels. The height is scaled to match unless it is set too.':
    'Leave width or height empty to keep the proportions.',
  'Width of the watermark image as a percentage of the width of the page, image or video.':
    'As a percentage of the width of the page, image or video.',
  'Width of the window in pixels.': 'Width of the browser window.',
  'Width to cut off, such as 20mm, 1in or 36pt.': 'Width to cut off, for example 20mm, 1in or 36pt.',
  'Separated by commas.': 'Separated by commas.',
  'auto (or remux-if-possible) copies the streams if possible and re-encodes them otherwise; encode always re-encodes.':
    'Copying is fast and lossless; re-encoding always works.',
  'auto copies the streams if all videos have the same format and neither quality nor preset is set; encode always re-encodes.':
    'Videos of the same format can be joined without re-encoding.',
  'color traces all colors, bw traces the dark parts in black.':
    'Trace all colors, or only the dark areas in black.',
  'flow creates editable text, headings, lists and tables; exact keeps each line at its position on the page. Defaults to flow.':
    'Editable text flows like a normal document; exact position looks like the PDF.',
  'hybrid runs OCR on scanned pages first; fast does not.':
    'Text recognition makes scanned pages editable, but takes longer.',
  'keep joins the bookmarks, per_file groups them by file name, none drops them.':
    'What happens to the bookmarks of the files.',
  'keep preserves what the camera or author stored, including the location.':
    'Keep camera data and location, or remove them.',
  'max fits the image into the box without enlarging it; crop fills the box and cuts off the rest; scale fits the image into the box and may enlarge it.':
    'How the image fits into the width and height.',
  'max fits the image into the box without enlarging it, crop fills the box and cuts off the rest, scale stretches the image to the box.':
    'How the image fits into the width and height.',
  'none removes the hints, which sharpen small text on low-resolution screens; the file becomes smaller':
    'Removing hints makes a smaller file, but small text may look worse on low-resolution screens.',
  'optimized favors the colors of moving parts; full treats all parts of the image equally.':
    'Which parts of the image get the best colors.',
  'srgb or gray: gray, or grayscale, converts to shades of gray.': 'Gray converts to shades of gray.',
  'srgb, adobe-rgb or gray: adobe-rgb keeps more colors for print; gray, or grayscale, converts to shades of gray.':
    'Adobe RGB keeps more colors for print, gray converts to shades of gray.',
}

export default hints
