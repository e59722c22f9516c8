import type { Category, FormatId } from './index.ts'

/** Words with the same meaning, and what a search for one of them finds. */
export interface SynonymRow {
  /** English words in lower case, separated by commas; a search also matches beginnings of words. */
  readonly words: string
  /** The words in the other languages of the web page. */
  readonly translations?: string
  readonly formats?: readonly FormatId[]
  readonly categories?: readonly Category[]
  /** Operations, and `organize-pdf`, which combines several of them on the web page. */
  readonly tools?: readonly string[]
  /** Categories for which the web page suggests the file's own format with other options. */
  readonly sameFormat?: readonly Category[]
}

/**
 * Words that people type instead of the names of formats and tools, in the API, on the command line and on the web
 * page. The format or tool to suggest is the first one in the first row that contains the word. Names, extensions and
 * aliases are not repeated.
 */
export const synonymTable: readonly SynonymRow[] = [
  {
    words: 'word, msword, ms word, microsoft word',
    translations: 'ワード',
    formats: ['docx', 'doc', 'docm', 'dotx', 'rtf', 'odt'],
  },
  {
    words: 'text document, editable document, google docs, gdoc',
    translations: 'textdokument, documento de texto, 文書',
    formats: ['docx', 'odt'],
  },
  { words: 'word 97, old word', translations: 'altes word', formats: ['doc'] },
  {
    words: 'excel, ms excel',
    translations:
      'tabelle, tabellenkalkulation, hoja de cálculo, tabla, planilha, tabela, エクセル, 表計算, スプレッドシート',
    formats: ['xlsx', 'xls', 'xlsm', 'xlsb'],
  },
  {
    words: 'spreadsheet, workbook, table, sheet, google sheets',
    formats: ['xlsx', 'xls', 'xlsm', 'xlsb', 'ods', 'csv', 'tsv', 'numbers'],
  },
  { words: 'excel 97, old excel', translations: 'altes excel', formats: ['xls'] },
  { words: 'comma separated, table data', translations: 'tabelle als text', formats: ['csv'] },
  {
    words: 'powerpoint, power point, presentation, slides, slideshow, deck, google slides',
    translations:
      'präsentation, folien, presentación, diapositivas, apresentação, パワーポイント, パワポ, スライド',
    formats: ['pptx', 'ppt', 'pptm', 'ppsx', 'pps', 'odp', 'key'],
  },
  { words: 'powerpoint 97, old powerpoint', formats: ['ppt'] },
  {
    words: 'acrobat, adobe, portable, reader, print',
    translations: 'drucken, imprimir, 印刷',
    formats: ['pdf'],
  },
  { words: 'openoffice, libreoffice, opendocument, open document', formats: ['odt', 'ods', 'odp', 'odg'] },
  { words: 'writer', formats: ['odt'] },
  { words: 'calc, libreoffice calc', formats: ['ods'] },
  { words: 'impress, libreoffice impress', formats: ['odp'] },
  {
    words: 'text, plain text, plaintext, notepad, note, ascii, utf8',
    translations: 'klartext, nur text, texto, テキスト',
    formats: ['txt'],
  },
  {
    words: 'webpage, web page, website, site',
    translations: 'webseite, página web, ウェブページ',
    formats: ['html', 'mhtml', 'xhtml'],
  },
  { words: 'email, mail, outlook', formats: ['eml', 'msg'] },
  { words: 'markdown, readme', formats: ['md'] },
  { words: 'rich text, wordpad', formats: ['rtf'] },
  { words: 'overleaf, scientific paper', formats: ['tex'] },
  {
    words: 'subtitle, subtitles, caption, captions, subs',
    translations: 'untertitel, subtítulos, legendas, 字幕',
    formats: ['srt', 'vtt', 'ass', 'ssa', 'sub', 'smi', 'ttml', 'scc'],
  },
  {
    words: 'picture, photo, pic, img, image, graphic',
    translations: 'foto, bild, imagen, imagem, 写真, 画像',
    categories: ['image'],
  },
  { words: 'iphone photo, iphone, apple photo', translations: 'アイフォン', formats: ['heic'] },
  {
    words: 'screenshot, transparent, transparency',
    translations:
      'bildschirmfoto, transparenz, captura de pantalla, transparencia, captura de tela, transparência, スクリーンショット, 透過',
    formats: ['png'],
  },
  { words: 'photoshop', formats: ['psd', 'psb'] },
  {
    words: 'vector, illustrator',
    translations: 'vektor, vetor, ベクター',
    formats: ['svg', 'ai', 'eps', 'emf', 'wmf'],
  },
  { words: 'scalable', formats: ['svg'] },
  { words: 'postscript image', formats: ['eps'] },
  { words: 'autocad, cad', formats: ['dxf'] },
  { words: 'gimp', formats: ['xcf'] },
  { words: 'favicon, icon', translations: 'symbol, ícone, アイコン', formats: ['ico', 'icns', 'png'] },
  {
    words: 'animation, animated',
    translations: 'animiert, animado, animação, アニメーション',
    formats: ['gif', 'apng', 'webp'],
  },
  { words: 'meme', formats: ['gif'] },
  { words: 'scan', translations: 'スキャン', formats: ['pdf', 'tiff', 'djvu'], tools: ['ocr-pdf'] },
  { words: 'print image', formats: ['tiff'] },
  {
    words: 'camera raw, raw photo',
    formats: ['dng', 'raw', 'cr2', 'cr3', 'nef', 'arw', 'raf', 'orf', 'rw2'],
  },
  {
    words: 'movie, film, clip, footage, video',
    translations: 'película, filme, vídeo, 動画, ビデオ',
    categories: ['video'],
  },
  { words: 'quicktime', formats: ['mov', 'qt'] },
  { words: 'apple video, iphone video', formats: ['mov'] },
  { words: 'youtube', formats: ['mp4', 'webm'] },
  { words: 'whatsapp, h264', formats: ['mp4'] },
  { words: 'web video', formats: ['webm'] },
  {
    words: 'music, song, sound, audio, voice, podcast, recording',
    translations: 'musik, ton, lied, música, canción, sonido, canção, som, 音声, 音楽',
    categories: ['audio'],
  },
  { words: 'itunes, apple music, apple audio', formats: ['m4a', 'alac', 'm4b'] },
  {
    words: 'ringtone',
    translations: 'klingelton, tono de llamada, toque de celular, 着信音',
    formats: ['m4r', 'mp3'],
  },
  {
    words: 'audiobook, audio book',
    translations: 'hörbuch, audiolibro, audiolivro, オーディオブック',
    formats: ['m4b', 'mp3'],
  },
  {
    words: 'lossless',
    translations: 'verlustfrei, sin pérdida, sem perdas, 可逆圧縮',
    formats: ['flac', 'alac', 'wav', 'aiff', 'wv', 'tta'],
  },
  {
    words: 'uncompressed',
    translations: 'unkomprimiert, sin comprimir, sem compressão, 無圧縮',
    formats: ['wav'],
  },
  {
    words: 'book, ebook, e-book, novel',
    translations: 'buch, libro, livro, 電子書籍, 本',
    categories: ['ebook'],
  },
  { words: 'kindle, amazon', translations: 'キンドル', formats: ['azw3', 'mobi', 'azw'] },
  { words: 'old kindle', formats: ['mobi'] },
  { words: 'kobo, ibooks, apple books', formats: ['epub'] },
  { words: 'comic, manga', formats: ['cbz', 'cbr', 'cb7', 'cbt'] },
  { words: 'typeface, webfont, web font', categories: ['font'] },
  { words: 'true type', formats: ['ttf'] },
  { words: 'open type', formats: ['otf'] },
  { words: 'zipped, zip file, compressed, tarball', categories: ['archive'], tools: ['archive'] },
  {
    words: 'compressed folder',
    translations: 'archiv, carpeta comprimida, pasta compactada, 圧縮フォルダー, アーカイブ',
    formats: ['zip'],
  },

  {
    words: 'resize, scale, rotate, flip, turn, dimensions, crop',
    translations:
      'größe ändern, skalieren, drehen, zuschneiden, cambiar tamaño, girar, recortar, redimensionar, mudar tamanho, サイズ変更, 回転, トリミング',
    sameFormat: ['image', 'video'],
  },
  {
    words: 'cut, trim, shorten, speed',
    translations: 'schneiden, kürzen, cortar, recortar, acortar, encurtar, 切り取り, カット',
    sameFormat: ['video', 'audio'],
  },
  { words: 'mute', translations: 'stumm, sin sonido, sem som, ミュート', sameFormat: ['video'] },
  {
    words: 'volume, louder',
    translations: 'lauter, lautstärke, volumen, mais alto, 音量',
    sameFormat: ['audio'],
  },

  {
    words:
      'combine, join, put together, concatenate, concat, append, unite, stitch, collate, one pdf, collage',
    translations:
      'zusammenfügen, verbinden, vereinen, kombinieren, juntar, combinar, unir, mesclar, 結合, まとめる, 連結',
    tools: ['merge', 'merge-pdf'],
  },
  {
    words: 'resize, scale, preview, dimensions, small image, cover',
    translations: 'vorschau, vista previa, prévia, プレビュー',
    tools: ['thumbnail'],
  },
  {
    words:
      'shrink, reduce, smaller, make smaller, minify, optimize, optimise, size, file size, downsize, resize',
    translations:
      'verkleinern, kleiner, komprimieren, reducir, reducir tamaño, más pequeño, achicar, reduzir, diminuir, reduzir tamanho, menor, 圧縮, 縮小, 軽くする',
    tools: ['compress', 'compress-pdf', 'linearize-pdf'],
  },
  {
    words: 'pack, bundle, zip',
    translations: 'packen, empaquetar, compactar, まとめる',
    tools: ['archive'],
  },
  {
    words: 'unpack, unzip, decompress, untar, unrar',
    translations: 'auspacken, descomprimir, descompactar, 解凍, 展開',
    tools: ['extract'],
  },
  {
    words: 'protect, lock, password, secure, permissions, encrypt',
    translations:
      'kennwort, passwort, sperren, verschlüsseln, contraseña, cifrar, bloquear, senha, proteger, criptografar, 保護, パスワード, 暗号化, ロック',
    tools: ['encrypt-pdf'],
  },
  {
    words: 'unlock, unprotect, remove password, password, open, decrypt',
    translations:
      'kennwort entfernen, passwort entfernen, entschlüsseln, quitar contraseña, descifrar, remover senha, tirar senha, desbloquear, 解除, パスワード解除, ロック解除',
    tools: ['decrypt-pdf'],
  },
  {
    words: 'sign, signature, stamp, logo, overlay, brand, copyright',
    translations:
      'stempel, unterschreiben, unterschrift, sello, firma, firmar, carimbo, assinatura, assinar, スタンプ, 署名, 透かし',
    tools: ['add-watermark-pdf', 'watermark'],
  },
  {
    words: 'delete, drop, erase, cut out',
    translations: 'löschen, borrar, quitar, excluir, apagar, remover, 削除',
    tools: ['remove-pdf-pages', 'remove-blank-pages-pdf', 'redact-pdf'],
  },
  {
    words: 'blackout, black out, blacken, censor, anonymize, hide',
    translations: 'verdecken, anonymisieren, tachar, ocultar, anonimizar, tarja, 黒塗り, 墨消し, 匿名化',
    tools: ['redact-pdf', 'sanitize-pdf'],
  },
  {
    words: 'clean, scrub, strip, private, privacy, javascript',
    translations: 'bereinigen, datenschutz, limpiar, privacidad, limpar, privacidade, プライバシー',
    tools: ['sanitize-pdf', 'metadata/write'],
  },
  {
    words: 'separate, divide, break up, cut, burst',
    translations: 'trennen, aufteilen, separar, partir, dividir, 分割',
    tools: ['split-pdf', 'extract-pdf-pages'],
  },
  {
    words: 'select, pick, keep, pages, pick pages, save pages',
    translations: 'einzelne seiten, sacar páginas, extrair páginas, 抽出',
    tools: ['extract-pdf-pages'],
  },
  {
    words: 'turn, flip, upside down, landscape, portrait, orientation',
    translations: 'drehen, querformat, rotar, orientación, girar, virar, orientação, 回転, 横向き',
    tools: ['rotate-pdf'],
  },
  {
    words: 'trim, margin, margins, cut off, resize',
    translations: 'ränder, beschneiden, márgenes, cortar, margens, recortar, トリミング, 切り取り, 余白',
    tools: ['crop-pdf'],
  },
  {
    words: 'arrange, rearrange, sort, order, move',
    translations:
      'reihenfolge, verschieben, anordnen, sortieren, orden, ordenar, mover, ordem, reorganizar, 並べ替え, 順序',
    tools: ['reorder-pdf-pages', 'organize-pdf'],
  },
  {
    words: 'delete pages',
    translations: 'organizar, ordenar páginas, 整理',
    tools: ['organize-pdf'],
  },
  {
    words: 'numbering, numbers, page number, paginate, pagination, bates',
    translations: 'seitenzahl, nummerieren, número de página, numerar, ページ番号, 番号',
    tools: ['add-page-numbers-pdf'],
  },
  {
    words: 'recognize, recognise, recognition, searchable, scanned, scan to text, read text',
    translations:
      'durchsuchbar, texterkennung, escaneo, escaneado, leer texto, digitalização, digitalizado, pesquisável, ler texto, 文字認識, 検索可能',
    tools: ['ocr-pdf'],
  },
  {
    words: 'fix, recover, restore, damaged, broken, corrupt',
    translations:
      'beschädigt, defekt, wiederherstellen, arreglar, recuperar, dañado, consertar, danificado, 修復, 破損',
    tools: ['repair-pdf'],
  },
  {
    words: 'archival, long term, pdf/a, pdf a',
    translations: 'archivieren, archivar, arquivamento, 長期保存',
    tools: ['to-pdfa'],
  },
  {
    words: 'monochrome, black and white, grayscale, greyscale, gray, grey, colorless',
    translations: 'schwarzweiß, grau, blanco y negro, grises, preto e branco, cinza, 白黒, モノクロ, グレー',
    tools: ['grayscale-pdf'],
  },
  {
    words: 'fill, form, forms, uneditable, annotations, lock form',
    translations:
      'formular, anmerkungen, formulario, anotaciones, aplanar, formulário, anotações, achatar, フォーム, 注釈',
    tools: ['flatten-pdf'],
  },
  {
    words: 'title, author, properties, tags, keywords, rename',
    translations:
      'titel, autor, eigenschaften, título, propiedades, propriedades, タイトル, 作成者, プロパティ',
    tools: ['edit-pdf-metadata', 'metadata/write'],
  },
  {
    words: 'exif, details, information, inspect, properties',
    translations: 'eigenschaften, información, propiedades, informações, propriedades, 情報, プロパティ',
    tools: ['metadata', 'pdf-info'],
  },
  { words: 'how many pages', translations: 'seitenzahl anzeigen', tools: ['pdf-info'] },
  {
    words: 'camera, location, gps',
    translations: 'kamera, cámara, ubicación, câmera, localização, 位置情報, カメラ',
    tools: ['metadata'],
  },
  { words: 'web optimized, fast view, web, fast, streaming', tools: ['linearize-pdf'] },
  {
    words: 'empty, empty pages, blank, delete blank',
    translations: 'leer, páginas vacías, páginas vazias, 空白, 白紙',
    tools: ['remove-blank-pages-pdf'],
  },
  {
    words: 'image, images, pictures, photos, get images',
    translations: 'fotos, grafiken, imágenes, sacar fotos, imagens, 画像, 写真',
    tools: ['extract-pdf-images'],
  },
]
