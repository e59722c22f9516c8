import type en from './en.ts'

/** Machine translation, not yet checked by a native speaker. */
const hints: typeof en = {
  '0 is fastest, 9 makes the smallest file; the pixels do not change.':
    '0 é o mais rápido, 9 gera o menor arquivo. A imagem não muda.',
  '0 is fastest, 9 makes the smallest archive; the files in it do not change.':
    '0 é o mais rápido, 9 gera o menor arquivo compactado.',
  '0.01 is barely visible, 1 is opaque. A percentage such as 30% is also accepted.':
    '0.01 é quase invisível, 1 é opaco. Porcentagens como 30% também funcionam.',
  '1 to 100, or low, medium, high, highest. A higher quality makes a larger file.':
    'Quanto maior a qualidade, maior o arquivo.',
  '1 to 100, or low, medium, high, highest. A lower quality makes a smaller file.':
    'Quanto menor a qualidade, menor o arquivo.',
  '1 to 100; takes precedence over quality.': 'Tem prioridade sobre a qualidade geral.',
  '240p to 4k set the shorter side; a size such as 1280x720 is a box that the video is fitted into. The aspect ratio is kept.':
    'O lado menor, ou um tamanho máximo como 1280x720. As proporções são mantidas.',
  'A comment or caption.': 'Um comentário ou uma legenda.',
  'A page is blank when at most this percentage of it is darker than paper.':
    'Páginas com menos tinta do que isso contam como em branco.',
  'A3, A4, A5, Letter, Legal, or width and height such as `210x297mm` (mm, cm, in, pt)':
    'Um tamanho padrão, ou largura e altura próprias.',
  'Also print background colors and images.': 'Incluir cores e imagens de fundo.',
  'Run the scripts of the page, such as those that draw charts. They have no network access.':
    'Executar os scripts da página, como os que desenham gráficos. Eles não têm acesso à rede.',
  'Also removes links to websites and other files.': 'Remove links para sites e outros arquivos.',
  'Allows changing a signed PDF, which invalidates its signatures. Without this option, a signed PDF is refused.':
    'Altera o PDF mesmo que as assinaturas percam a validade.',
  'Also removes title, author and other metadata.': 'Remove título, autor e outros metadados.',
  'An empty value removes the field; if the option is omitted, the field is kept. The other metadata fields work the same way.':
    'Sem alteração, o valor é mantido; com o campo vazio, é removido.',
  'Creation date, such as 2026-01-31 or 2026-01-31T12:00:00Z.': 'Data de criação.',
  'Audio codec; copy keeps the audio stream unchanged if possible.':
    '“Copiar sem alterações” mantém o áudio como está, se possível.',
  'Bits per color channel: fewer bits give fewer, larger shapes.':
    'Valores menores geram formas maiores e em menor número.',
  'Bits per second of each audio track, such as 128k, if the codec supports different bit rates.':
    'Por exemplo, 128k. Aplica-se quando o formato permite.',
  'Bits per second of the video track, such as 2M.': 'Por exemplo, 2M.',
  'Capture the whole page, not only what fits in the window.':
    'Capturar a página inteira, não só a parte visível.',
  'Channels of each audio track: 1 for mono, 2 for stereo, 6 for 5.1; limited by the codec.':
    '1 é mono, 2 é estéreo, 6 é som surround 5.1.',
  'Color behind transparent parts, such as #ff8800 or white. By default, transparency is kept if the codec supports it; otherwise transparent parts become white in animations and black in videos.':
    'Cor das áreas transparentes. Deixe em branco para manter a transparência quando possível.',
  'Color behind transparent parts, such as #ff8800. Defaults to white if the format has no transparency; otherwise they stay transparent.':
    'Cor das áreas transparentes. Branco se o formato não tiver transparência.',
  'Constant quality: lower is better. The maximum for h264 and h265 is 51.':
    'Quanto menor, melhor. H.264 e H.265 vão até 51.',
  'Degrees clockwise, in addition to the rotation stored by the camera.': 'Além da orientação da câmera.',
  'Degrees clockwise: 90, 180, 270 or -90.': 'Gira as páginas em sentido horário.',
  'Distance from the edge, such as 24pt or 10mm.': 'Por exemplo, 24pt ou 10mm.',
  'Dithering method for colors that are not in the palette.':
    'Como são imitadas as cores que faltam na paleta.',
  'Encodes in two passes: meets the bit rate more precisely but takes twice as long.':
    'Atinge a taxa de bits com mais precisão, mas leva o dobro do tempo.',
  'Encoding of the input text, such as windows-1251, iso-8859-2, koi8-r, shift_jis, gb18030, big5, euc-kr or utf-16le. Detected by default or with auto, with a warning if it had to be guessed; a byte order mark in the file takes precedence.':
    'Detectada automaticamente. Altere se houver caracteres errados.',
  'End time, as HH:MM:SS.ms or seconds.': 'Tempo final, por exemplo 00:01:30.5 ou 90.5 segundos.',
  'End time, as HH:MM:SS.ms.': 'Tempo final, por exemplo 00:01:30.5',
  'Every font is embedded, so that pages look the same everywhere; false has no effect and causes a warning':
    'Todas as fontes são incorporadas: as páginas ficam iguais em qualquer lugar.',
  'Everything darker than this brightness, in percent, is traced.':
    'Tudo o que for mais escuro é vetorizado.',
  'Files to extract, by name or path in the archive; * matches any characters and ? a single one, such as docs/*.pdf. Defaults to all files.':
    'Nomes ou caminhos de arquivos, por exemplo docs/*.pdf. Deixe em branco para extrair todos.',
  'First removes all existing metadata, such as location, camera and software; the appearance stays the same.':
    'Remove a localização e os dados da câmera e do programa. A imagem fica igual.',
  'The format only names fonts and never embeds them; setting this option causes a warning.':
    'Este formato só indica o nome das fontes, não as incorpora.',
  "Footer text of every page, replacing the document's own; {page}, {pages} and {date} are filled in":
    'Substitui o rodapé do documento. {page}, {pages} e {date} são preenchidos.',
  'For bw: everything darker than this brightness, in percent, is black.':
    'Para preto e branco: tudo o que for mais escuro fica preto.',
  'Frames per second.': '',
  "Header text of every page, replacing the document's own; {page}, {pages} and {date} are filled in":
    'Substitui o cabeçalho do documento. {page}, {pages} e {date} são preenchidos.',
  'Height in pixels. The width is scaled to match unless it is set too.':
    'Deixe a largura ou a altura em branco para manter as proporções.',
  'Height of the bitmaps in pixels': 'Altura dos bitmaps.',
  'Height of the window in pixels.': 'Altura da janela do navegador.',
  'How much corners are rounded: 0 keeps all of them sharp, 100 rounds all of them.':
    '0 mantém todos os cantos retos, 100 arredonda todos.',
  'How many times the animation plays; 0 means forever.': '0 repete sem fim.',
  'How to arrange the images: vertical in a column, horizontal in a row, grid in rows and columns.':
    'Como as imagens são organizadas.',
  'Image resolution: screen 72 dpi, ebook 150, printer and prepress 300.': 'Define a resolução das imagens.',
  'Keep only these characters: as text, or as ranges such as U+0020-007E,U+20AC':
    'Digite os caracteres, ou intervalos como U+0020-007E, U+20AC.',
  'Keeps every pixel exactly; quality then sets the compression effort. By default, true for images of up to 256 colors, whose edges would otherwise blur.':
    'Mantém cada pixel exato. A qualidade define então o esforço de compressão.',
  'Landscape (true) or portrait (false) for every page; by default, as in the document':
    'Paisagem ou retrato. Padrão: como no documento.',
  'Languages of the text in images, at most 5 joined by +, the main one first: eng, deu, fra, spa, ita, por, nld, pol, rus, ukr, tur, ara, hin, jpn, kor, chi-sim, chi-tra.':
    'Idiomas do texto nas imagens, o principal primeiro. Até 5.',
  'Keeps all font sizes of the document.': 'Mantém todos os tamanhos de fonte do documento.',
  'Area to keep, instead of margins: its distance from the left and top edges, its width and its height, in points.':
    'Esquerda, topo, largura e altura em pontos, em vez de margens.',
  'Password that lifts the restrictions. Defaults to the value of password, or to a random one if permissions are restricted.':
    'Necessária para alterar as permissões. Padrão: a senha, ou uma aleatória.',
  'Longest side in pixels; larger pages are scaled down.': 'Páginas maiores são reduzidas a este tamanho.',
  'Replaces straight quotes, double hyphens and three dots with typographic characters.':
    'Troca aspas retas, hifens duplos e três pontos por sinais tipográficos.',
  'Margin at the bottom of every page, such as 20mm, 2cm, 1in or 72pt':
    'Por exemplo, 20mm, 2cm, 1in ou 72pt.',
  'Margin at the left of every page, such as 20mm, 2cm, 1in or 72pt': 'Por exemplo, 20mm, 2cm, 1in ou 72pt.',
  'Margin at the right of every page, such as 20mm, 2cm, 1in or 72pt': 'Por exemplo, 20mm, 2cm, 1in ou 72pt.',
  'Margin at the top of every page, such as 20mm, 2cm, 1in or 72pt': 'Por exemplo, 20mm, 2cm, 1in ou 72pt.',
  'Margins in pt from 0 to 200: one number for all sides, four such as "top,bottom,left,right" or "top/bottom/left/right", or by side such as "top=10,left=20". Omitted sides default to 5.':
    'Um número para todos os lados, ou quatro para topo, base, esquerda e direita, por exemplo 10,10,20,20.',
  'Maximum length of the longest side in pixels; larger images are scaled down.':
    'Imagens maiores são reduzidas a este tamanho.',
  'Maximum size in bytes, or a size such as 500k or 2M: first the frame rate and then the dimensions are reduced until the file fits.':
    'Por exemplo, 500k ou 2M. Os quadros por segundo e as dimensões são reduzidos até o arquivo caber.',
  'Maximum size in bytes; the best quality that fits is used.':
    'Usa a melhor qualidade que mantém o arquivo dentro deste tamanho.',
  'Maximum size of the result in bytes, or a size such as 500k or 8M. Use it instead of quality.':
    'Por exemplo, 500k ou 8M. Use em vez da qualidade.',
  'Maximum size of the result in bytes; image quality is reduced until it fits.':
    'A qualidade das imagens é reduzida até o arquivo caber.',
  'Maximum size of the result in bytes; quality and then dimensions are reduced until it fits.':
    'A qualidade e depois as dimensões são reduzidas até o arquivo caber.',
  'Minimum distance from the edge, in points or pixels. By default, a 25th of the shorter side; less if there is no room.':
    'Distância mínima da borda. Deixe em branco para ajuste automático.',
  'Quality preset; web is the same as ebook, and max makes the smallest file.':
    'Define a resolução das imagens.',
  'Password for the new archive (AES-256). In a 7z it also encrypts the file names.':
    'Necessária para abrir o arquivo compactado. Um 7z também oculta os nomes dos arquivos.',
  'New page order, such as 3,1,2. Pages not named follow in their original order.':
    'Por exemplo, 3,1,2. As outras páginas seguem na ordem original.',
  'Number of columns of a contact sheet with frames evenly spaced over the video. A single frame if rows and columns are omitted; if only one of them is set, the other has the same value.':
    'Cria uma folha de contato. Deixe linhas e colunas em branco para um único quadro.',
  'Number of images, evenly spaced over the video.': 'Distribuídas de maneira uniforme pelo vídeo.',
  'Number of pages, starting with the first; each becomes an image.':
    'As primeiras páginas, cada uma como imagem.',
  'Number of rows of a contact sheet with frames evenly spaced over the video. A single frame if rows and columns are omitted; if only one of them is set, the other has the same value.':
    'Cria uma folha de contato. Deixe linhas e colunas em branco para um único quadro.',
  'Number printed on the first numbered page.': 'O número da primeira página.',
  'One file per range, such as 1-3,4-last. Defaults to one file per page.':
    'Um arquivo por intervalo, por exemplo 1-3, 4-last. Em branco: um arquivo por página.',
  'Password of a protected archive. The result is not protected.':
    'Só para arquivos compactados protegidos. O resultado não fica protegido.',
  'Outlines as curves (spline), straight lines (polygon) or pixel steps (pixel).':
    'Como os contornos são desenhados.',
  'PDF/A part and conformance level.': 'Parte e nível de conformidade do PDF/A.',
  'Page numbers and ranges such as 1-5,10,15-last. A range may run backward. Defaults to all pages.':
    'Por exemplo, 1-5, 10, 15-last. Em branco: todas as páginas.',
  'Pages to extract, in the order you want, such as 1,3,5 or 7-last.':
    'Páginas a extrair, na ordem desejada, por exemplo 1, 3, 5 ou 7-last.',
  'Pages to change, such as 1-5,10,15-last. Defaults to all pages.':
    'Por exemplo, 1-5, 10, 15-last. Em branco: todas as páginas.',
  'Pages to remove, such as 2,4.': 'Páginas a remover, por exemplo 2, 4.',
  'Pages to search. Defaults to all pages.': 'Páginas em que buscar. Em branco: todas as páginas.',
  'Password for the files that need one. The result is not encrypted.':
    'Só para arquivos protegidos. O resultado não fica protegido.',
  'Password of a protected document.': 'Só para documentos protegidos.',
  'Password that readers need to open the result.': 'Necessária para abrir o PDF.',
  'Password to open the PDF, if it needs one.': 'Só para PDFs protegidos.',
  'Password to open the PDF, if it needs one. Most tools protect the result with the same password.':
    'Só para PDFs protegidos.',
  'Password to open the PDF. Not needed when only its permissions are restricted.':
    'Dispensável se apenas as permissões forem restritas.',
  'Password to open the source, if it needs one.': 'Só se o PDF já estiver protegido.',
  'Pixels of the image per pixel of the page, 0.5 to 4.': '2 dobra a resolução.',
  'Pixels per inch at which vector drawings are rendered; 96 keeps the drawing’s own size in pixels.':
    'Valores maiores geram uma imagem maior e mais nítida. 96 é o tamanho original.',
  'Pixels per inch of the drawing.': 'Valores maiores geram uma imagem mais nítida e maior.',
  'Pixels per inch.': 'Valores maiores geram uma imagem mais nítida e maior.',
  'Width of the box for the thumbnail, in pixels. When left out, it follows from the height; when both are left out, the box is 256 by 256.':
    'Deixe a largura ou a altura em branco para manter as proporções. Padrão: 256 × 256.',
  'Height of the box for the thumbnail, in pixels. When left out, it follows from the width; when both are left out, the box is 256 by 256.':
    'Deixe a largura ou a altura em branco para manter as proporções. Padrão: 256 × 256.',
  'Plays the animation forward, then backward.': 'Reproduz para frente e depois para trás.',
  'Font size in points on a page, or in pixels on an image or video. By default, as large as fits well.':
    'Deixe em branco para ajuste automático.',
  'Font size in points.': '',
  'Position of the page number on the page.': '',
  'Program that created the PDF.': 'O programa que criou o PDF.',
  'Program that created the original document.': 'O programa que criou o documento original.',
  'Embeds the fonts that the document uses, if they are available.':
    'Incorpora as fontes do documento, se disponíveis.',
  'Reduces the image to at most 256 colors: the file becomes much smaller, but the colors are not exact.':
    'No máximo 256 cores: muito menor, mas menos exata.',
  'Removes all existing metadata first.': '',
  'Rotates the video clockwise by this many degrees.': 'Gira o vídeo em sentido horário.',
  'Samples per second; the nearest rate that the codec supports is used.':
    'Usa a taxa permitida mais próxima.',
  'Seconds of silence between two files.': 'Segundos de silêncio entre dois arquivos.',
  'Shrink sheets that are wider than the page, so that no column is moved to another page':
    'Reduz planilhas largas para que nenhuma coluna passe para outra página.',
  'Scale of the content on the page, 0.1 to 2.': '1 é o tamanho original.',
  'Size of the body text in pt, 4 to 60; other font sizes scale with it. Defaults to the size of the profile.':
    'Os outros tamanhos se adaptam. Padrão: conforme o leitor de e-books.',
  'Sizes of the images in the icon, 1 to 256 pixels, such as 16,32,48. Defaults to the common sizes.':
    'Por exemplo, 16,32,48. Deixe em branco para os tamanhos comuns.',
  'Slower presets make smaller files of the same quality.':
    'Predefinições mais lentas geram arquivos menores com a mesma qualidade.',
  'Removes speckles of up to this many pixels.': 'Manchas menores são removidas.',
  'Removes speckles smaller than this many pixels on a side.': 'Manchas menores são removidas.',
  'Start time, as HH:MM:SS.ms or seconds.': 'Tempo inicial, por exemplo 00:00:10 ou 10.5 segundos.',
  'Start time, as HH:MM:SS.ms.': 'Tempo inicial, por exemplo 00:00:10',
  'Straightens skewed pages; their images are re-encoded.':
    'Endireita digitalizações tortas. As imagens são recodificadas.',
  'A color such as #ff0000, or a name such as red.': 'Um nome de cor em inglês, ou um valor como #ff0000.',
  'Terms to remove permanently, ignoring case: a list, or separated by commas.':
    'Palavras ou frases a remover de forma permanente, separadas por vírgulas, sem distinção entre maiúsculas e minúsculas.',
  'Text in any script. Send either this or an image as an additional file.':
    'Texto em qualquer idioma, ou adicione uma imagem.',
  'Text such as `Page {page} of {pages}`.': 'Por exemplo, Página {page} de {pages}.',
  'The device that images and font sizes are optimized for, such as kindle_pw3, tablet or generic_eink.':
    'As imagens e os tamanhos de fonte são adaptados a este dispositivo.',
  'The image appears coarse at first and sharpens while it loads.':
    'Aparece logo e ganha nitidez enquanto carrega.',
  'Time of the frame, as HH:MM:SS.ms or seconds; if count is more than 1, the time of the first frame. Defaults to a frame that is not blank, about a third into the video.':
    'Tempo do (primeiro) quadro, por exemplo 00:00:10. Deixe em branco para escolha automática.',
  'Time of the frame, as HH:MM:SS.ms or seconds; for a contact sheet, the time of its first frame. Defaults to a frame that is not blank.':
    'Tempo do (primeiro) quadro, por exemplo 00:00:10. Deixe em branco para escolha automática.',
  'Traces the light parts instead of the dark ones.': 'Vetoriza as áreas claras em vez das escuras.',
  'Video codec; copy keeps the video stream unchanged if possible.':
    '“Copiar sem alterações” mantém o vídeo como está, se possível.',
  'Volume factor: 0.5 halves the volume, 2 doubles it.': '0.5 é metade do volume, 2 é o dobro.',
  'Separator of the fields in the input table: comma, semicolon, tab, pipe, space, colon or another character. Detected from the first lines by default or with auto.':
    'Separador de campos do arquivo CSV. Por padrão, é detectado automaticamente.',
  'Position of the watermark. By default, diagonal for text and center for an image; tile repeats it.':
    'Padrão: diagonal para texto, centro para imagem.',
  'Whether readers may add comments.': '',
  'Whether readers may edit the pages.': '',
  'Whether readers may copy text and images.': '',
  'Whether readers may fill in forms.': '',
  'Whether readers may print.': '',
  'Whether the first line of the input table contains column names. If true, a spreadsheet shows this line in bold and repeats it on each printed or PDF page. If false, a document shows it as an ordinary row.':
    'A linha de cabeçalho fica em negrito e se repete em cada página impressa.',
  'Number of the font in a collection, starting at 1': 'Número da fonte na coleção, a partir de 1.',
  'The author, or the artist of a song.': 'O autor, ou o artista de uma música.',
  'Width in pixels; by default at most 480. The aspect ratio is kept.':
    'Padrão: até 480. As proporções são mantidas.',
  'Width in pixels. The height is scaled to match unless it is set too.':
    'Deixe a largura ou a altura em branco para manter as proporções.',
  'Width of the watermark image as a percentage of the width of the page, image or video.':
    'Em porcentagem da página, da imagem ou do vídeo.',
  'Width of the window in pixels.': 'Largura da janela do navegador.',
  'Width to cut off, such as 20mm, 1in or 36pt.': 'Largura a cortar, por exemplo 20mm, 1in ou 36pt.',
  'Separated by commas.': 'Separadas por vírgulas.',
  'auto (or remux-if-possible) copies the streams if possible and re-encodes them otherwise; encode always re-encodes.':
    'Copiar é rápido e sem perdas; recodificar sempre funciona.',
  'auto copies the streams if all videos have the same format and neither quality nor preset is set; encode always re-encodes.':
    'Vídeos do mesmo formato podem ser unidos sem recodificação.',
  'color traces all colors, bw traces the dark parts in black.':
    'Vetorizar todas as cores, ou só as áreas escuras em preto.',
  'flow creates editable text, headings, lists and tables; exact keeps each line at its position on the page. Defaults to flow.':
    'O texto editável flui como em um documento comum; a posição exata fica parecida com o PDF.',
  'hybrid runs OCR on scanned pages first; fast does not.':
    'O reconhecimento de texto torna editáveis as páginas digitalizadas, mas demora mais.',
  'keep joins the bookmarks, per_file groups them by file name, none drops them.':
    'O que acontece com os marcadores dos arquivos.',
  'keep preserves what the camera or author stored, including the location.':
    'Manter ou remover os dados da câmera e a localização.',
  'max fits the image into the box without enlarging it; crop fills the box and cuts off the rest; scale fits the image into the box and may enlarge it.':
    'Como a imagem se ajusta à largura e à altura.',
  'max fits the image into the box without enlarging it, crop fills the box and cuts off the rest, scale stretches the image to the box.':
    'Como a imagem se ajusta à largura e à altura.',
  'none removes the hints, which sharpen small text on low-resolution screens; the file becomes smaller':
    'Sem hinting, o arquivo fica menor, mas textos pequenos podem ficar piores em telas de baixa resolução.',
  'optimized favors the colors of moving parts; full treats all parts of the image equally.':
    'Quais partes da imagem recebem as melhores cores.',
  'srgb or gray: gray, or grayscale, converts to shades of gray.': 'Cinza converte em tons de cinza.',
  'srgb, adobe-rgb or gray: adobe-rgb keeps more colors for print; gray, or grayscale, converts to shades of gray.':
    'Adobe RGB mantém mais cores para impressão; cinza converte em tons de cinza.',
}

export default hints
