/**
 * What stops when a Debian package of layers/packages.json is not there. A package without a line here is said to
 * belong to the engines of its image.
 */
export const lostWithout: Readonly<Record<string, string>> = {
  bubblewrap: 'engines run without a view of files and a network of their own',
  'util-linux': 'engines run without limits of memory, time and processes',
  'libavcodec-extra': 'AMR, and AC-4 and other codecs that are not in the plain library',
  'libheif-examples': 'reading HEIC and AVIF',
  'libmagickcore-6.q16-6-extra': 'DjVu, OpenEXR, JPEG XL, WMF and SVG in ImageMagick',
  img2pdf: 'pictures put into a PDF as they are',
  'libreoffice-writer-nogui': 'text documents',
  'libreoffice-calc-nogui': 'spreadsheets',
  'libreoffice-impress-nogui': 'presentations',
  'libreoffice-draw-nogui': 'drawings',
  'libreoffice-math-nogui': 'formulas in documents',
  'python3-uno': 'the office suite kept warm between jobs',
  'poppler-utils': 'pictures and text of PDF pages',
  'poppler-data': 'Chinese, Japanese and Korean text of some PDF files',
  qpdf: 'PDF tools: split, merge, rotate, encrypt, repair',
  'libtiff-tools': 'PDF to TIFF',
  '7zip': 'archives',
  'libarchive-tools': 'RAR, cpio, ISO and other archives',
  lz4: 'LZ4 files',
  fontconfig: 'finding fonts',
  'fonts-dejavu': 'text without a font of its own',
  'fonts-liberation': 'Arial, Times New Roman and Courier New at their width',
  'fonts-crosextra-carlito': 'Calibri at its width',
  'fonts-crosextra-caladea': 'Cambria at its width',
  'fonts-urw-base35': 'the 35 fonts that PDF and PostScript take for granted',
  'fonts-noto-core': 'scripts other than Latin',
  'fonts-noto-cjk': 'Chinese, Japanese and Korean',
  'fonts-noto-color-emoji': 'emoji',
}
