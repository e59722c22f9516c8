import type en from './en.ts'

/** Machine translation, not yet checked by a native speaker. */
const hints: typeof en = {
  '0 is fastest, 9 makes the smallest file; the pixels do not change.':
    '0 が最速、9 が最小のファイルになります。画像は変わりません。',
  '0 is fastest, 9 makes the smallest archive; the files in it do not change.':
    '0 が最速、9 が最小のアーカイブになります。',
  '0.01 is barely visible, 1 is opaque. A percentage such as 30% is also accepted.':
    '0.01 はほとんど見えず、1 は不透明です。30% のような割合でも指定できます。',
  '1 to 100, or low, medium, high, highest. A higher quality makes a larger file.':
    '品質を上げるとファイルが大きくなります。',
  '1 to 100, or low, medium, high, highest. A lower quality makes a smaller file.':
    '品質を下げるとファイルが小さくなります。',
  '1 to 100; takes precedence over quality.': '全体の品質設定より優先されます。',
  '240p to 4k set the shorter side; a size such as 1280x720 is a box that the video is fitted into. The aspect ratio is kept.':
    '短辺、または収める枠のサイズ（1280x720 など）。縦横比は保たれます。',
  'A comment or caption.': 'コメントまたはキャプション。',
  'A page is blank when at most this percentage of it is darker than paper.':
    'インクの量がこの割合以下のページを空白とみなします。',
  'A3, A4, A5, Letter, Legal, or width and height such as `210x297mm` (mm, cm, in, pt)':
    '標準サイズ、または幅と高さの指定。',
  'Also print background colors and images.': '背景色と背景画像も含めます。',
  'Run the scripts of the page, such as those that draw charts. They have no network access.':
    'グラフを描くものなど、ページのスクリプトを実行します。ネットワークには接続できません。',
  'Also removes links to websites and other files.': 'ウェブサイトやほかのファイルへのリンクを削除します。',
  'Allows changing a signed PDF, which invalidates its signatures. Without this option, a signed PDF is refused.':
    '署名が無効になっても PDF を変更します。',
  'Also removes title, author and other metadata.': 'タイトル、作成者などのメタデータを削除します。',
  'An empty value removes the field; if the option is omitted, the field is kept. The other metadata fields work the same way.':
    '変更しなければそのまま残り、空欄にすると削除されます。',
  'Creation date, such as 2026-01-31 or 2026-01-31T12:00:00Z.': '作成した日付。',
  'Audio codec; copy keeps the audio stream unchanged if possible.':
    '「そのままコピー」は、可能な場合に音声を変更せず残します。',
  'Bits per color channel: fewer bits give fewer, larger shapes.': '値を下げると、形が少なく大きくなります。',
  'Bits per second of each audio track, such as 128k, if the codec supports different bit rates.':
    '例：128k。対応している形式にのみ適用されます。',
  'Bits per second of the video track, such as 2M.': '例：2M',
  'Capture the whole page, not only what fits in the window.':
    '表示部分だけでなく、ページ全体を取り込みます。',
  'Channels of each audio track: 1 for mono, 2 for stereo, 6 for 5.1; limited by the codec.':
    '1 はモノラル、2 はステレオ、6 は 5.1 サラウンドです。',
  'Color behind transparent parts, such as #ff8800 or white. By default, transparency is kept if the codec supports it; otherwise transparent parts become white in animations and black in videos.':
    '透明部分の色。可能な場合に透明のまま残すには、空欄にします。',
  'Color behind transparent parts, such as #ff8800. Defaults to white if the format has no transparency; otherwise they stay transparent.':
    '透明部分の色。透明に対応していない形式では白になります。',
  'Constant quality: lower is better. The maximum for h264 and h265 is 51.':
    '小さい値ほど高品質です。H.264 と H.265 の上限は 51 です。',
  'Degrees clockwise, in addition to the rotation stored by the camera.':
    'カメラが記録した向きに加えて回転します。',
  'Degrees clockwise: 90, 180, 270 or -90.': 'ページを時計回りに回転します。',
  'Distance from the edge, such as 24pt or 10mm.': '例：24pt、10mm',
  'Dithering method for colors that are not in the palette.': 'パレットにない色の再現方法。',
  'Encodes in two passes: meets the bit rate more precisely but takes twice as long.':
    'ビットレートがより正確になりますが、時間は 2 倍かかります。',
  'Encoding of the input text, such as windows-1251, iso-8859-2, koi8-r, shift_jis, gb18030, big5, euc-kr or utf-16le. Detected by default or with auto, with a warning if it had to be guessed; a byte order mark in the file takes precedence.':
    '自動で判別します。文字化けする場合は変更してください。',
  'End time, as HH:MM:SS.ms or seconds.': '終了時間。例：00:01:30.5、90.5（秒）',
  'End time, as HH:MM:SS.ms.': '終了時間。例：00:01:30.5',
  'Every font is embedded, so that pages look the same everywhere; false has no effect and causes a warning':
    'すべてのフォントを埋め込むため、どこでも同じ表示になります。',
  'Everything darker than this brightness, in percent, is traced.':
    'これより暗い部分をすべてトレースします。',
  'Files to extract, by name or path in the archive; * matches any characters and ? a single one, such as docs/*.pdf. Defaults to all files.':
    'ファイル名またはパス（例：docs/*.pdf）。空欄の場合はすべてのファイル。',
  'First removes all existing metadata, such as location, camera and software; the appearance stays the same.':
    '位置情報、カメラ、ソフトウェアの情報を削除します。画像の見た目は変わりません。',
  'The format only names fonts and never embeds them; setting this option causes a warning.':
    'この形式はフォント名だけを記録し、フォントは埋め込めません。',
  "Footer text of every page, replacing the document's own; {page}, {pages} and {date} are filled in":
    '文書のフッターを置き換えます。{page}、{pages}、{date} には値が入ります。',
  'For bw: everything darker than this brightness, in percent, is black.':
    '白黒の場合：これより暗い部分がすべて黒になります。',
  'Frames per second.': '',
  "Header text of every page, replacing the document's own; {page}, {pages} and {date} are filled in":
    '文書のヘッダーを置き換えます。{page}、{pages}、{date} には値が入ります。',
  'Height in pixels. The width is scaled to match unless it is set too.':
    '縦横比を保つには、幅または高さを空欄にします。',
  'Height of the bitmaps in pixels': 'ビットマップの高さ。',
  'Height of the window in pixels.': 'ブラウザーのウィンドウの高さ。',
  'How much corners are rounded: 0 keeps all of them sharp, 100 rounds all of them.':
    '0 はすべての角をそのまま残し、100 はすべて丸めます。',
  'How many times the animation plays; 0 means forever.': '0 は無限に繰り返します。',
  'How to arrange the images: vertical in a column, horizontal in a row, grid in rows and columns.':
    '画像の並べ方。',
  'Image resolution: screen 72 dpi, ebook 150, printer and prepress 300.': '画像の解像度を設定します。',
  'Keep only these characters: as text, or as ranges such as U+0020-007E,U+20AC':
    '文字、または U+0020-007E,U+20AC のような範囲を入力します。',
  'Keeps every pixel exactly; quality then sets the compression effort. By default, true for images of up to 256 colors, whose edges would otherwise blur.':
    'すべてのピクセルを正確に保ちます。この場合、品質は圧縮にかける手間を表します。',
  'Landscape (true) or portrait (false) for every page; by default, as in the document':
    '横向きまたは縦向き。既定では文書と同じです。',
  'Languages of the text in images, at most 5 joined by +, the main one first: eng, deu, fra, spa, ita, por, nld, pol, rus, ukr, tur, ara, hin, jpn, kor, chi-sim, chi-tra.':
    '画像内のテキストの言語。主な言語を先頭に、5 つまで選べます。',
  'Keeps all font sizes of the document.': '文書のすべてのフォントサイズを保ちます。',
  'Area to keep, instead of margins: its distance from the left and top edges, its width and its height, in points.':
    '余白の代わりに、左、上、幅、高さをポイントで指定します。',
  'Password that lifts the restrictions. Defaults to the value of password, or to a random one if permissions are restricted.':
    '権限の変更に必要です。既定ではパスワードと同じか、ランダムなパスワードです。',
  'Longest side in pixels; larger pages are scaled down.': 'これより大きいページは縮小されます。',
  'Replaces straight quotes, double hyphens and three dots with typographic characters.':
    'まっすぐな引用符、二重ハイフン、3 つのピリオドを印刷用の文字に置き換えます。',
  'Margin at the bottom of every page, such as 20mm, 2cm, 1in or 72pt': '例：20mm、2cm、1in、72pt',
  'Margin at the left of every page, such as 20mm, 2cm, 1in or 72pt': '例：20mm、2cm、1in、72pt',
  'Margin at the right of every page, such as 20mm, 2cm, 1in or 72pt': '例：20mm、2cm、1in、72pt',
  'Margin at the top of every page, such as 20mm, 2cm, 1in or 72pt': '例：20mm、2cm、1in、72pt',
  'Margins in pt from 0 to 200: one number for all sides, four such as "top,bottom,left,right" or "top/bottom/left/right", or by side such as "top=10,left=20". Omitted sides default to 5.':
    '全辺共通の 1 つの数値、または上、下、左、右の 4 つの数値（例：10,10,20,20）。',
  'Maximum length of the longest side in pixels; larger images are scaled down.':
    'これより大きい画像は縮小されます。',
  'Maximum size in bytes, or a size such as 500k or 2M: first the frame rate and then the dimensions are reduced until the file fits.':
    '例：500k、2M。収まるまでフレームレートと寸法を下げます。',
  'Maximum size in bytes; the best quality that fits is used.': 'このサイズに収まる最高の品質を使います。',
  'Maximum size of the result in bytes, or a size such as 500k or 8M. Use it instead of quality.':
    '例：500k、8M。品質の代わりに指定します。',
  'Maximum size of the result in bytes; image quality is reduced until it fits.':
    '収まるまで画像の品質を下げます。',
  'Maximum size of the result in bytes; quality and then dimensions are reduced until it fits.':
    '収まるまで品質を下げ、次に寸法を縮小します。',
  'Minimum distance from the edge, in points or pixels. By default, a 25th of the shorter side; less if there is no room.':
    '端からの最小距離。空欄の場合は自動で決まります。',
  'Quality preset; web is the same as ebook, and max makes the smallest file.': '画像の解像度を設定します。',
  'Password for the new archive (AES-256). In a 7z it also encrypts the file names.':
    'アーカイブを開くときに必要です。7z ではファイル名も隠されます。',
  'New page order, such as 3,1,2. Pages not named follow in their original order.':
    '例：3,1,2。残りのページは元の順序で続きます。',
  'Number of columns of a contact sheet with frames evenly spaced over the video. A single frame if rows and columns are omitted; if only one of them is set, the other has the same value.':
    'コンタクトシートを作成します。1 枚の画像にするには、行と列を空欄にします。',
  'Number of images, evenly spaced over the video.': '動画全体から等間隔で取り出します。',
  'Number of pages, starting with the first; each becomes an image.':
    '先頭からのページを、それぞれ画像にします。',
  'Number of rows of a contact sheet with frames evenly spaced over the video. A single frame if rows and columns are omitted; if only one of them is set, the other has the same value.':
    'コンタクトシートを作成します。1 枚の画像にするには、行と列を空欄にします。',
  'Number printed on the first numbered page.': '最初のページの番号。',
  'One file per range, such as 1-3,4-last. Defaults to one file per page.':
    '範囲ごとに 1 ファイル（例：1-3, 4-last）。空欄の場合は 1 ページごとに 1 ファイル。',
  'Password of a protected archive. The result is not protected.':
    '保護されたアーカイブにのみ必要です。結果は保護されません。',
  'Outlines as curves (spline), straight lines (polygon) or pixel steps (pixel).': '輪郭の描き方。',
  'PDF/A part and conformance level.': 'PDF/A のパートと適合レベル。',
  'Page numbers and ranges such as 1-5,10,15-last. A range may run backward. Defaults to all pages.':
    '例：1-5, 10, 15-last。空欄の場合はすべてのページ。',
  'Pages to extract, in the order you want, such as 1,3,5 or 7-last.':
    '抽出するページを希望の順序で指定します（例：1, 3, 5、7-last）。',
  'Pages to change, such as 1-5,10,15-last. Defaults to all pages.':
    '例：1-5, 10, 15-last。空欄の場合はすべてのページ。',
  'Pages to remove, such as 2,4.': '削除するページ（例：2, 4）。',
  'Pages to search. Defaults to all pages.': '検索するページ。空欄の場合はすべてのページ。',
  'Password for the files that need one. The result is not encrypted.':
    '保護されたファイルにのみ必要です。結果は保護されません。',
  'Password of a protected document.': '保護された文書にのみ必要です。',
  'Password that readers need to open the result.': 'PDF を開くときに必要です。',
  'Password to open the PDF, if it needs one.': '保護された PDF にのみ必要です。',
  'Password to open the PDF, if it needs one. Most tools protect the result with the same password.':
    '保護された PDF にのみ必要です。',
  'Password to open the PDF. Not needed when only its permissions are restricted.':
    '権限だけが制限されている場合は不要です。',
  'Password to open the source, if it needs one.': 'PDF がすでに保護されている場合にのみ必要です。',
  'Pixels of the image per pixel of the page, 0.5 to 4.': '2 にすると解像度が 2 倍になります。',
  'Pixels per inch at which vector drawings are rendered; 96 keeps the drawing’s own size in pixels.':
    '値を上げると、画像が大きく鮮明になります。96 が元のサイズです。',
  'Pixels per inch of the drawing.': '値を上げると、画像が鮮明で大きくなります。',
  'Pixels per inch.': '値を上げると、画像が鮮明で大きくなります。',
  'Width of the box for the thumbnail, in pixels. When left out, it follows from the height; when both are left out, the box is 256 by 256.':
    '縦横比を保つには、幅または高さを空欄にします。既定：256 × 256',
  'Height of the box for the thumbnail, in pixels. When left out, it follows from the width; when both are left out, the box is 256 by 256.':
    '縦横比を保つには、幅または高さを空欄にします。既定：256 × 256',
  'Plays the animation forward, then backward.': '順方向に再生した後、逆方向に再生します。',
  'Font size in points on a page, or in pixels on an image or video. By default, as large as fits well.':
    '空欄の場合は自動で調整します。',
  'Font size in points.': '',
  'Position of the page number on the page.': '',
  'Program that created the PDF.': 'PDF を作成したアプリ。',
  'Program that created the original document.': '元の文書を作成したアプリ。',
  'Embeds the fonts that the document uses, if they are available.':
    '文書で使われているフォントを、利用できる場合に埋め込みます。',
  'Reduces the image to at most 256 colors: the file becomes much smaller, but the colors are not exact.':
    '256 色以下にします。大幅に小さくなりますが、正確さは下がります。',
  'Removes all existing metadata first.': '',
  'Rotates the video clockwise by this many degrees.': '動画を時計回りに回転します。',
  'Samples per second; the nearest rate that the codec supports is used.':
    '対応している最も近い値が使われます。',
  'Seconds of silence between two files.': 'ファイルとファイルの間の無音の秒数。',
  'Shrink sheets that are wider than the page, so that no column is moved to another page':
    '幅の広いシートを縮小し、列が別のページに分かれないようにします。',
  'Scale of the content on the page, 0.1 to 2.': '1 が元のサイズです。',
  'Size of the body text in pt, 4 to 60; other font sizes scale with it. Defaults to the size of the profile.':
    'ほかのサイズもこれに合わせて変わります。既定では端末に合わせます。',
  'Sizes of the images in the icon, 1 to 256 pixels, such as 16,32,48. Defaults to the common sizes.':
    '例：16,32,48。空欄の場合は一般的なサイズ。',
  'Slower presets make smaller files of the same quality.':
    '低速なプリセットほど、同じ品質でファイルが小さくなります。',
  'Removes speckles of up to this many pixels.': 'これより小さい斑点を取り除きます。',
  'Removes speckles smaller than this many pixels on a side.': 'これより小さい斑点を取り除きます。',
  'Start time, as HH:MM:SS.ms or seconds.': '開始時間。例：00:00:10、10.5（秒）',
  'Start time, as HH:MM:SS.ms.': '開始時間。例：00:00:10',
  'Straightens skewed pages; their images are re-encoded.':
    '傾いたスキャンをまっすぐにします。画像は再エンコードされます。',
  'A color such as #ff0000, or a name such as red.': '色の名前、または #ff0000 のような値。',
  'Terms to remove permanently, ignoring case: a list, or separated by commas.':
    '完全に削除する語句を、コンマで区切って入力します。大文字と小文字は区別しません。',
  'Text in any script. Send either this or an image as an additional file.':
    '任意の言語のテキスト。代わりに画像も追加できます。',
  'Text such as `Page {page} of {pages}`.': '例：Page {page} of {pages}',
  'The device that images and font sizes are optimized for, such as kindle_pw3, tablet or generic_eink.':
    '画像とフォントサイズをこの端末に合わせます。',
  'The image appears coarse at first and sharpens while it loads.':
    '最初は粗く、読み込みながら鮮明に表示されます。',
  'Time of the frame, as HH:MM:SS.ms or seconds; if count is more than 1, the time of the first frame. Defaults to a frame that is not blank, about a third into the video.':
    '（最初の）画像の時間。例：00:00:10。空欄の場合は自動で選びます。',
  'Time of the frame, as HH:MM:SS.ms or seconds; for a contact sheet, the time of its first frame. Defaults to a frame that is not blank.':
    '（最初の）画像の時間。例：00:00:10。空欄の場合は自動で選びます。',
  'Traces the light parts instead of the dark ones.': '暗い部分ではなく、明るい部分をトレースします。',
  'Video codec; copy keeps the video stream unchanged if possible.':
    '「そのままコピー」は、可能な場合に動画を変更せず残します。',
  'Volume factor: 0.5 halves the volume, 2 doubles it.': '0.5 で音量が半分、2 で 2 倍になります。',
  'Separator of the fields in the input table: comma, semicolon, tab, pipe, space, colon or another character. Detected from the first lines by default or with auto.':
    'CSV ファイルの区切り文字。既定では自動で判別します。',
  'Position of the watermark. By default, diagonal for text and center for an image; tile repeats it.':
    '既定では、テキストは斜め、画像は中央に配置します。',
  'Whether readers may add comments.': '',
  'Whether readers may edit the pages.': '',
  'Whether readers may copy text and images.': '',
  'Whether readers may fill in forms.': '',
  'Whether readers may print.': '',
  'Whether the first line of the input table contains column names. If true, a spreadsheet shows this line in bold and repeats it on each printed or PDF page. If false, a document shows it as an ordinary row.':
    '見出し行を太字にし、印刷する各ページの先頭に繰り返します。',
  'Number of the font in a collection, starting at 1': 'コレクション内のフォントの番号（1 から）。',
  'The author, or the artist of a song.': '作成者、または曲のアーティスト。',
  'Width in pixels; by default at most 480. The aspect ratio is kept.':
    '既定では 480 以下です。縦横比は保たれます。',
  'Width in pixels. The height is scaled to match unless it is set too.':
    '縦横比を保つには、幅または高さを空欄にします。',
  'Width of the watermark image as a percentage of the width of the page, image or video.':
    'ページ、画像、動画の幅に対する割合（%）。',
  'Width of the window in pixels.': 'ブラウザーのウィンドウの幅。',
  'Width to cut off, such as 20mm, 1in or 36pt.': '切り取る幅。例：20mm、1in、36pt',
  'Separated by commas.': 'コンマで区切ります。',
  'auto (or remux-if-possible) copies the streams if possible and re-encodes them otherwise; encode always re-encodes.':
    'コピーは高速で劣化がありません。再エンコードはどの場合でも使えます。',
  'auto copies the streams if all videos have the same format and neither quality nor preset is set; encode always re-encodes.':
    '同じ形式の動画は、再エンコードせずにつなげられます。',
  'color traces all colors, bw traces the dark parts in black.':
    'すべての色、または暗い部分だけを黒でトレースします。',
  'flow creates editable text, headings, lists and tables; exact keeps each line at its position on the page. Defaults to flow.':
    '編集しやすいテキストは通常の文書のように流れます。正確な位置は PDF と同じ見た目になります。',
  'hybrid runs OCR on scanned pages first; fast does not.':
    '文字認識を行うと、スキャンしたページを編集できますが、時間がかかります。',
  'keep joins the bookmarks, per_file groups them by file name, none drops them.': 'ファイルのしおりの扱い。',
  'keep preserves what the camera or author stored, including the location.':
    'カメラの情報と位置情報を残すか、削除します。',
  'max fits the image into the box without enlarging it; crop fills the box and cuts off the rest; scale fits the image into the box and may enlarge it.':
    '幅と高さへの画像の収め方。',
  'max fits the image into the box without enlarging it, crop fills the box and cuts off the rest, scale stretches the image to the box.':
    '幅と高さへの画像の収め方。',
  'none removes the hints, which sharpen small text on low-resolution screens; the file becomes smaller':
    'ヒンティングなしではファイルが小さくなりますが、低解像度の画面では小さな文字の見た目が悪くなることがあります。',
  'optimized favors the colors of moving parts; full treats all parts of the image equally.':
    '画像のどの部分に最適な色を割り当てるか。',
  'srgb or gray: gray, or grayscale, converts to shades of gray.':
    'グレーを選ぶとグレースケールに変換します。',
  'srgb, adobe-rgb or gray: adobe-rgb keeps more colors for print; gray, or grayscale, converts to shades of gray.':
    'Adobe RGB は印刷用に多くの色を保ちます。グレーを選ぶとグレースケールに変換します。',
}

export default hints
