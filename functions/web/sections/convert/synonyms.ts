/** Words that people type for a format or a tool, besides its names; separated by commas, in every language. */

export const formatSynonyms: Readonly<Record<string, string>> = {
  docx: 'word, ms word, microsoft word, text document, editable document, google docs, textdokument, documento de texto, ワード, 文書',
  doc: 'word 97, old word, altes word',
  xlsx: 'excel, ms excel, spreadsheet, table, sheet, google sheets, tabelle, tabellenkalkulation, hoja de cálculo, tabla, planilha, tabela, エクセル, 表計算, スプレッドシート',
  xls: 'excel 97, old excel, altes excel',
  csv: 'comma separated, table data, tabelle als text',
  pptx: 'powerpoint, power point, slides, presentation, google slides, präsentation, folien, presentación, diapositivas, apresentação, パワーポイント, パワポ, スライド',
  ppt: 'powerpoint 97, old powerpoint',
  odt: 'libreoffice, openoffice, writer, open document',
  ods: 'libreoffice calc, calc',
  odp: 'libreoffice impress, impress',
  txt: 'text, plain text, notepad, klartext, nur text, texto, テキスト',
  html: 'web page, website, webpage, webseite, página web, site, ウェブページ',
  md: 'markdown, readme',
  rtf: 'rich text, wordpad',
  pdf: 'acrobat, adobe, reader, print, drucken, imprimir, 印刷',
  epub: 'ebook, e-book, kobo, book, buch, libro, livro, 電子書籍, 本',
  azw3: 'kindle, キンドル',
  mobi: 'kindle, old kindle',
  jpg: 'photo, picture, image, foto, bild, imagen, imagem, 写真, 画像',
  png: 'screenshot, transparent, transparency, image, bildschirmfoto, transparenz, captura de pantalla, transparencia, captura de tela, transparência, imagem, スクリーンショット, 透過, 画像',
  gif: 'animation, animated, meme, animiert, animado, animação, アニメーション',
  svg: 'vector, scalable, vektor, vetor, ベクター',
  heic: 'iphone, apple photo, アイフォン',
  ico: 'icon, favicon, symbol, ícone, アイコン',
  tiff: 'scan, print image',
  mp4: 'video, movie, film, youtube, whatsapp, clip, h264, película, filme, vídeo, 動画, ビデオ',
  mov: 'quicktime, apple video, iphone video',
  webm: 'web video',
  mp3: 'audio, music, song, sound, musik, ton, lied, música, canción, sonido, canção, som, 音声, 音楽',
  m4a: 'itunes, apple audio',
  m4r: 'ringtone, klingelton, tono de llamada, toque de celular, 着信音',
  m4b: 'audiobook, audio book, hörbuch, audiolibro, audiolivro, オーディオブック',
  wav: 'uncompressed, unkomprimiert, sin comprimir, sem compressão, 無圧縮',
  flac: 'lossless, verlustfrei, sin pérdida, sem perdas, 可逆圧縮',
  srt: 'subtitles, subtitle, captions, untertitel, subtítulos, legendas, 字幕',
  zip: 'compressed folder, archive, archiv, carpeta comprimida, pasta compactada, compactar, 圧縮フォルダー, アーカイブ',
  tgz: 'tarball, tar.gz',
  woff2: 'web font, webfont',
  ttf: 'true type',
  otf: 'open type',
  dxf: 'autocad, cad',
  eps: 'postscript image, illustrator',
  psd: 'photoshop',
}

/** Words for the format of the file itself, with other options, by category. */
export const sameFormatSynonyms: Readonly<Record<string, string>> = {
  image:
    'resize, scale, rotate, flip, turn, dimensions, crop, größe ändern, skalieren, drehen, zuschneiden, cambiar tamaño, girar, recortar, redimensionar, mudar tamanho, サイズ変更, 回転, トリミング',
  video:
    'cut, trim, shorten, resize, scale, rotate, mute, speed, crop, schneiden, kürzen, drehen, stumm, größe ändern, cortar, recortar, acortar, girar, cambiar tamaño, sin sonido, encurtar, redimensionar, sem som, 切り取り, カット, 回転, ミュート, サイズ変更',
  audio:
    'cut, trim, shorten, volume, louder, speed, schneiden, kürzen, lauter, lautstärke, cortar, recortar, acortar, volumen, encurtar, mais alto, 切り取り, カット, 音量',
}

const shrink =
  'verkleinern, shrink, reduce, smaller, make smaller, resize, size, file size, optimize, kleiner, komprimieren, reducir, reducir tamaño, más pequeño, achicar, reduzir, diminuir, reduzir tamanho, menor, 圧縮, 縮小, 軽くする'
const stamp =
  'stamp, sign, signature, logo, copyright, stempel, unterschreiben, unterschrift, sello, firma, firmar, carimbo, assinatura, assinar, スタンプ, 署名, 透かし'

export const toolSynonyms: Readonly<Record<string, string>> = {
  'organize-pdf':
    'arrange, delete pages, rearrange, sort, anordnen, sortieren, ordenar, reorganizar, organizar, ordenar páginas, 整理',
  'split-pdf': 'separate, divide, break up, cut, trennen, aufteilen, separar, partir, dividir, 分割',
  'extract-pdf-pages': 'pages, pick pages, save pages, einzelne seiten, sacar páginas, extrair páginas, 抽出',
  'remove-pdf-pages': 'delete, erase, cut out, löschen, borrar, quitar, excluir, apagar, remover, 削除',
  'reorder-pdf-pages':
    'order, move, sort, arrange, reihenfolge, verschieben, orden, mover, ordem, 並べ替え, 順序',
  'rotate-pdf':
    'turn, flip, upside down, orientation, landscape, drehen, querformat, rotar, orientación, girar, virar, orientação, 回転, 横向き',
  'crop-pdf':
    'trim, margins, cut off, resize, ränder, beschneiden, márgenes, cortar, margens, recortar, トリミング, 切り取り, 余白',
  'ocr-pdf':
    'scan, scanned, searchable, scan to text, recognise, read text, durchsuchbar, texterkennung, escaneo, escaneado, leer texto, digitalização, digitalizado, pesquisável, ler texto, 文字認識, 検索可能, スキャン',
  'add-watermark-pdf': stamp,
  'add-page-numbers-pdf':
    'page number, numbering, paginate, seitenzahl, nummerieren, número de página, numerar, ページ番号, 番号',
  'edit-pdf-metadata':
    'title, author, properties, rename, keywords, titel, autor, eigenschaften, título, propiedades, propriedades, タイトル, 作成者, プロパティ',
  'extract-pdf-images':
    'pictures, photos, get images, fotos, grafiken, imágenes, sacar fotos, imagens, 画像, 写真',
  'pdf-info':
    'information, properties, how many pages, details, seitenzahl anzeigen, información, propiedades, informações, propriedades, 情報, プロパティ',
  'encrypt-pdf':
    'protect, password, lock, encrypt, secure, kennwort, passwort, sperren, verschlüsseln, contraseña, cifrar, bloquear, senha, proteger, criptografar, 保護, パスワード, 暗号化, ロック',
  'decrypt-pdf':
    'unlock, remove password, password, decrypt, open, kennwort entfernen, passwort entfernen, entschlüsseln, quitar contraseña, descifrar, remover senha, tirar senha, desbloquear, 解除, パスワード解除, ロック解除',
  'redact-pdf':
    'black out, hide, censor, anonymize, blacken, verdecken, anonymisieren, tachar, ocultar, anonimizar, tarja, 黒塗り, 墨消し, 匿名化',
  'sanitize-pdf':
    'clean, private, privacy, metadata, javascript, bereinigen, datenschutz, limpiar, privacidad, limpar, privacidade, プライバシー',
  'flatten-pdf':
    'form, forms, fill, annotations, lock form, formular, anmerkungen, formulario, anotaciones, aplanar, formulário, anotações, achatar, フォーム, 注釈',
  'compress-pdf': shrink,
  'grayscale-pdf':
    'gray, grey, black and white, grayscale, schwarzweiß, grau, blanco y negro, grises, preto e branco, cinza, 白黒, モノクロ, グレー',
  'remove-blank-pages-pdf':
    'empty pages, delete blank, blank, leer, páginas vacías, páginas vazias, 空白, 白紙',
  'linearize-pdf': 'web, fast, linearize, streaming',
  'repair-pdf':
    'fix, recover, damaged, broken, corrupt, beschädigt, defekt, wiederherstellen, arreglar, recuperar, dañado, consertar, danificado, 修復, 破損',
  'to-pdfa': 'archive, archival, pdfa, long-term, archivieren, archivar, arquivamento, 長期保存',
  merge:
    'combine, join, put together, append, unite, concatenate, one pdf, collage, zusammenfügen, verbinden, vereinen, kombinieren, juntar, combinar, unir, mesclar, 結合, まとめる, 連結',
  compress: shrink,
  thumbnail: 'preview, small image, cover, vorschau, vista previa, prévia, プレビュー',
  watermark: stamp,
  metadata:
    'exif, properties, information, camera, location, gps, eigenschaften, kamera, propiedades, cámara, ubicación, propriedades, câmera, localização, 位置情報, カメラ, プロパティ',
  archive: 'zip, pack, bundle, packen, empaquetar, compactar, まとめる',
  extract: 'unzip, unpack, decompress, auspacken, descomprimir, descompactar, 解凍, 展開',
}
