import type en from './en.ts'

const hints: typeof en = {
  '0 is fastest, 9 makes the smallest file; the pixels do not change.':
    '0 ist am schnellsten, 9 ergibt die kleinste Datei. Das Bild bleibt gleich.',
  '0 is fastest, 9 makes the smallest archive; the files in it do not change.':
    '0 ist am schnellsten, 9 ergibt das kleinste Archiv.',
  '0.01 is barely visible, 1 is opaque. A percentage such as 30% is also accepted.':
    '0.01 ist kaum sichtbar, 1 deckt. Prozente wie 30% gehen auch.',
  '1 to 100, or low, medium, high, highest. A higher quality makes a larger file.':
    'Höhere Qualität bedeutet eine größere Datei.',
  '1 to 100, or low, medium, high, highest. A lower quality makes a smaller file.':
    'Niedrigere Qualität bedeutet eine kleinere Datei.',
  '1 to 100; takes precedence over quality.': 'Hat Vorrang vor der allgemeinen Qualität.',
  '240p to 4k set the shorter side; a size such as 1280x720 is a box that the video is fitted into. The aspect ratio is kept.':
    'Die kürzere Seite, oder eine Größe wie 1280x720 zum Einpassen. Das Seitenverhältnis bleibt.',
  'A comment or caption.': 'Ein Kommentar oder eine Bildunterschrift.',
  'A page is blank when at most this percentage of it is darker than paper.':
    'Seiten mit weniger Tinte gelten als leer.',
  'A3, A4, A5, Letter, Legal, or width and height such as `210x297mm` (mm, cm, in, pt)':
    'Ein Standardformat oder eigene Breite und Höhe.',
  'Also print background colors and images.': 'Mit Hintergrundfarben und -bildern.',
  'Run the scripts of the page, such as those that draw charts. They have no network access.':
    'Skripte der Seite ausführen, etwa solche, die Diagramme zeichnen. Sie haben keinen Netzzugang.',
  'Also removes links to websites and other files.': 'Entfernt Links zu Websites und anderen Dateien.',
  'Allows changing a signed PDF, which invalidates its signatures. Without this option, a signed PDF is refused.':
    'Ändert das PDF, auch wenn seine Signaturen dadurch ungültig werden.',
  'Also removes title, author and other metadata.': 'Entfernt Titel, Autor und andere Metadaten.',
  'An empty value removes the field; if the option is omitted, the field is kept. The other metadata fields work the same way.':
    'Unverändert lassen, um ihn zu behalten; leeren, um ihn zu entfernen.',
  'Creation date, such as 2026-01-31 or 2026-01-31T12:00:00Z.': 'Datum der Erstellung.',
  'Audio codec; copy keeps the audio stream unchanged if possible.':
    '„Unverändert kopieren“ lässt den Ton, wie er ist, wenn möglich.',
  'Bits per color channel: fewer bits give fewer, larger shapes.':
    'Niedrigere Werte ergeben weniger und größere Formen.',
  'Bits per second of each audio track, such as 128k, if the codec supports different bit rates.':
    'Zum Beispiel 128k. Gilt, wo der Codec es unterstützt.',
  'Bits per second of the video track, such as 2M.': 'Zum Beispiel 2M.',
  'Capture the whole page, not only what fits in the window.':
    'Die ganze Seite aufnehmen, nicht nur den sichtbaren Teil.',
  'Channels of each audio track: 1 for mono, 2 for stereo, 6 for 5.1; limited by the codec.':
    '1 ist mono, 2 ist stereo, 6 ist 5.1-Surround.',
  'Color behind transparent parts, such as #ff8800 or white. By default, transparency is kept if the codec supports it; otherwise transparent parts become white in animations and black in videos.':
    'Farbe für transparente Bereiche. Leer lassen, um Transparenz zu erhalten, wo es geht.',
  'Color behind transparent parts, such as #ff8800. Defaults to white if the format has no transparency; otherwise they stay transparent.':
    'Farbe für transparente Bereiche. Weiß, wenn das Format keine Transparenz kennt.',
  'Constant quality: lower is better. The maximum for h264 and h265 is 51.':
    'Niedriger ist besser. Bei H.264 und H.265 ist 51 das Maximum.',
  'Degrees clockwise, in addition to the rotation stored by the camera.':
    'Zusätzlich zur Ausrichtung der Kamera.',
  'Degrees clockwise: 90, 180, 270 or -90.': 'Dreht die Seiten im Uhrzeigersinn.',
  'Distance from the edge, such as 24pt or 10mm.': 'Zum Beispiel 24pt oder 10mm.',
  'Dithering method for colors that are not in the palette.':
    'Wie Farben nachgeahmt werden, die in der Palette fehlen.',
  'Encodes in two passes: meets the bit rate more precisely but takes twice as long.':
    'Trifft die Bitrate genauer, dauert aber doppelt so lange.',
  'Encoding of the input text, such as windows-1251, iso-8859-2, koi8-r, shift_jis, gb18030, big5, euc-kr or utf-16le. Detected by default or with auto, with a warning if it had to be guessed; a byte order mark in the file takes precedence.':
    'Wird automatisch erkannt. Ändere sie, wenn Zeichen falsch aussehen.',
  'End time, as HH:MM:SS.ms or seconds.': 'Ende, z. B. 00:01:30.5 oder 90.5 Sekunden.',
  'End time, as HH:MM:SS.ms.': 'Ende, z. B. 00:01:30.5',
  'Every font is embedded, so that pages look the same everywhere; false has no effect and causes a warning':
    'Alle Schriften werden eingebettet, damit Seiten überall gleich aussehen.',
  'Everything darker than this brightness, in percent, is traced.':
    'Alles, was dunkler ist, wird nachgezeichnet.',
  'Files to extract, by name or path in the archive; * matches any characters and ? a single one, such as docs/*.pdf. Defaults to all files.':
    'Dateinamen oder Pfade, zum Beispiel docs/*.pdf. Leer lassen für alle Dateien.',
  'First removes all existing metadata, such as location, camera and software; the appearance stays the same.':
    'Entfernt Angaben zu Ort, Kamera und Programm. Das Bild sieht gleich aus.',
  'The format only names fonts and never embeds them; setting this option causes a warning.':
    'Dieses Format nennt Schriften nur, es kann sie nicht einbetten.',
  "Footer text of every page, replacing the document's own; {page}, {pages} and {date} are filled in":
    'Ersetzt die Fußzeile des Dokuments. {page}, {pages} und {date} werden ausgefüllt.',
  'For bw: everything darker than this brightness, in percent, is black.':
    'Bei Schwarz-Weiß: Alles, was dunkler ist, wird schwarz.',
  'Frames per second.': '',
  "Header text of every page, replacing the document's own; {page}, {pages} and {date} are filled in":
    'Ersetzt die Kopfzeile des Dokuments. {page}, {pages} und {date} werden ausgefüllt.',
  'Height in pixels. The width is scaled to match unless it is set too.':
    'Breite oder Höhe leer lassen, um die Proportionen zu erhalten.',
  'Height of the bitmaps in pixels': 'Höhe der Bitmaps.',
  'Height of the window in pixels.': 'Höhe des Browserfensters.',
  'How much corners are rounded: 0 keeps all of them sharp, 100 rounds all of them.':
    '0 lässt alle Ecken scharf, 100 rundet alle ab.',
  'How many times the animation plays; 0 means forever.': '0 wiederholt endlos.',
  'How to arrange the images: vertical in a column, horizontal in a row, grid in rows and columns.':
    'Wie die Bilder angeordnet werden.',
  'Image resolution: screen 72 dpi, ebook 150, printer and prepress 300.':
    'Bestimmt die Auflösung der Bilder.',
  'Keep only these characters: as text, or as ranges such as U+0020-007E,U+20AC':
    'Gib die Zeichen ein, oder Bereiche wie U+0020-007E, U+20AC.',
  'Keeps every pixel exactly; quality then sets the compression effort. By default, true for images of up to 256 colors, whose edges would otherwise blur.':
    'Erhält jeden Bildpunkt genau. Die Qualität bestimmt dann den Kompressionsaufwand.',
  'Landscape (true) or portrait (false) for every page; by default, as in the document':
    'Quer- oder Hochformat. Standard: wie im Dokument.',
  'Languages of the text in images, at most 5 joined by +, the main one first: eng, deu, fra, spa, ita, por, nld, pol, rus, ukr, tur, ara, hin, jpn, kor, chi-sim, chi-tra.':
    'Sprachen des Textes in Bildern, die wichtigste zuerst. Bis zu 5.',
  'Keeps all font sizes of the document.': 'Behält alle Schriftgrößen des Dokuments.',
  'Area to keep, instead of margins: its distance from the left and top edges, its width and its height, in points.':
    'Links, oben, Breite und Höhe in Punkten, anstelle von Rändern.',
  'Password that lifts the restrictions. Defaults to the value of password, or to a random one if permissions are restricted.':
    'Nötig, um die Rechte zu ändern. Standard: das Passwort oder ein zufälliges.',
  'Longest side in pixels; larger pages are scaled down.':
    'Größere Seiten werden auf dieses Maß verkleinert.',
  'Replaces straight quotes, double hyphens and three dots with typographic characters.':
    'Macht aus geraden Anführungszeichen, doppelten Bindestrichen und drei Punkten typografische.',
  'Margin at the bottom of every page, such as 20mm, 2cm, 1in or 72pt':
    'Zum Beispiel 20mm, 2cm, 1in oder 72pt.',
  'Margin at the left of every page, such as 20mm, 2cm, 1in or 72pt':
    'Zum Beispiel 20mm, 2cm, 1in oder 72pt.',
  'Margin at the right of every page, such as 20mm, 2cm, 1in or 72pt':
    'Zum Beispiel 20mm, 2cm, 1in oder 72pt.',
  'Margin at the top of every page, such as 20mm, 2cm, 1in or 72pt': 'Zum Beispiel 20mm, 2cm, 1in oder 72pt.',
  'Margins in pt from 0 to 200: one number for all sides, four such as "top,bottom,left,right" or "top/bottom/left/right", or by side such as "top=10,left=20". Omitted sides default to 5.':
    'Eine Zahl für alle Seiten oder vier für oben, unten, links und rechts, zum Beispiel 10,10,20,20.',
  'Maximum length of the longest side in pixels; larger images are scaled down.':
    'Größere Bilder werden auf dieses Maß verkleinert.',
  'Maximum size in bytes, or a size such as 500k or 2M: first the frame rate and then the dimensions are reduced until the file fits.':
    'Zum Beispiel 500k oder 2M. Bildrate und Abmessungen werden verringert, bis die Datei passt.',
  'Maximum size in bytes; the best quality that fits is used.': 'Nimmt die beste Qualität, die hineinpasst.',
  'Maximum size of the result in bytes, or a size such as 500k or 8M. Use it instead of quality.':
    'Zum Beispiel 500k oder 8M. Anstelle der Qualität.',
  'Maximum size of the result in bytes; image quality is reduced until it fits.':
    'Die Bildqualität wird verringert, bis die Datei passt.',
  'Maximum size of the result in bytes; quality and then dimensions are reduced until it fits.':
    'Erst die Qualität, dann die Abmessungen werden verringert, bis die Datei passt.',
  'Minimum distance from the edge, in points or pixels. By default, a 25th of the shorter side; less if there is no room.':
    'Mindestabstand vom Rand. Leer lassen für automatisch.',
  'Quality preset; web is the same as ebook, and max makes the smallest file.':
    'Bestimmt die Auflösung der Bilder.',
  'Password for the new archive (AES-256). In a 7z it also encrypts the file names.':
    'Nötig, um das Archiv zu öffnen. Ein 7z verbirgt auch die Dateinamen.',
  'New page order, such as 3,1,2. Pages not named follow in their original order.':
    'Zum Beispiel 3,1,2. Andere Seiten folgen in ihrer bisherigen Reihenfolge.',
  'Number of columns of a contact sheet with frames evenly spaced over the video. A single frame if rows and columns are omitted; if only one of them is set, the other has the same value.':
    'Erstellt einen Kontaktbogen. Reihen und Spalten leer lassen für ein einzelnes Bild.',
  'Number of images, evenly spaced over the video.': 'Gleichmäßig über das Video verteilt.',
  'Number of pages, starting with the first; each becomes an image.': 'Die ersten Seiten, jede als Bild.',
  'Number of rows of a contact sheet with frames evenly spaced over the video. A single frame if rows and columns are omitted; if only one of them is set, the other has the same value.':
    'Erstellt einen Kontaktbogen. Reihen und Spalten leer lassen für ein einzelnes Bild.',
  'Number printed on the first numbered page.': 'Die Zahl auf der ersten Seite.',
  'One file per range, such as 1-3,4-last. Defaults to one file per page.':
    'Eine Datei pro Bereich, zum Beispiel 1-3, 4-last. Leer = eine Datei pro Seite.',
  'Password of a protected archive. The result is not protected.':
    'Nur für geschützte Archive. Das Ergebnis ist nicht geschützt.',
  'Outlines as curves (spline), straight lines (polygon) or pixel steps (pixel).':
    'Wie Umrisse gezeichnet werden.',
  'PDF/A part and conformance level.': 'Teil und Konformitätsstufe von PDF/A.',
  'Page numbers and ranges such as 1-5,10,15-last. A range may run backward. Defaults to all pages.':
    'Zum Beispiel 1-5, 10, 15-last. Leer = alle Seiten.',
  'Pages to extract, in the order you want, such as 1,3,5 or 7-last.':
    'Seiten, die extrahiert werden, in der gewünschten Reihenfolge, zum Beispiel 1, 3, 5 oder 7-last.',
  'Pages to change, such as 1-5,10,15-last. Defaults to all pages.':
    'Zum Beispiel 1-5, 10, 15-last. Leer = alle Seiten.',
  'Pages to remove, such as 2,4.': 'Seiten, die entfernt werden, zum Beispiel 2, 4.',
  'Pages to search. Defaults to all pages.': 'Seiten, die durchsucht werden. Leer = alle Seiten.',
  'Password for the files that need one. The result is not encrypted.':
    'Nur für geschützte Dateien. Das Ergebnis ist nicht geschützt.',
  'Password of a protected document.': 'Nur für geschützte Dokumente.',
  'Password that readers need to open the result.': 'Nötig, um das PDF zu öffnen.',
  'Password to open the PDF, if it needs one.': 'Nur für geschützte PDFs.',
  'Password to open the PDF, if it needs one. Most tools protect the result with the same password.':
    'Nur für geschützte PDFs.',
  'Password to open the PDF. Not needed when only its permissions are restricted.':
    'Nicht nötig, wenn nur die Rechte eingeschränkt sind.',
  'Password to open the source, if it needs one.': 'Nur, wenn das PDF schon geschützt ist.',
  'Pixels of the image per pixel of the page, 0.5 to 4.': '2 verdoppelt die Auflösung.',
  'Pixels per inch at which vector drawings are rendered; 96 keeps the drawing’s own size in pixels.':
    'Höhere Werte ergeben ein größeres, schärferes Bild. 96 ist die Originalgröße.',
  'Pixels per inch of the drawing.': 'Höhere Werte ergeben ein schärferes, größeres Bild.',
  'Pixels per inch.': 'Höhere Werte ergeben ein schärferes, größeres Bild.',
  'Width of the box for the thumbnail, in pixels. When left out, it follows from the height; when both are left out, the box is 256 by 256.':
    'Breite oder Höhe leer lassen, um die Proportionen zu erhalten. Standard: 256 × 256.',
  'Height of the box for the thumbnail, in pixels. When left out, it follows from the width; when both are left out, the box is 256 by 256.':
    'Breite oder Höhe leer lassen, um die Proportionen zu erhalten. Standard: 256 × 256.',
  'Plays the animation forward, then backward.': 'Läuft vorwärts, dann rückwärts.',
  'Font size in points on a page, or in pixels on an image or video. By default, as large as fits well.':
    'Leer lassen für automatisch passend.',
  'Font size in points.': '',
  'Position of the page number on the page.': '',
  'Program that created the PDF.': 'Das Programm, mit dem das PDF erstellt wurde.',
  'Program that created the original document.': 'Das Programm, mit dem das Original erstellt wurde.',
  'Embeds the fonts that the document uses, if they are available.':
    'Bettet die Schriften des Dokuments ein, soweit vorhanden.',
  'Reduces the image to at most 256 colors: the file becomes much smaller, but the colors are not exact.':
    'Höchstens 256 Farben: viel kleiner, aber weniger genau.',
  'Removes all existing metadata first.': '',
  'Rotates the video clockwise by this many degrees.': 'Dreht das Video im Uhrzeigersinn.',
  'Samples per second; the nearest rate that the codec supports is used.':
    'Die nächstliegende unterstützte Rate wird verwendet.',
  'Seconds of silence between two files.': 'Sekunden Stille zwischen zwei Dateien.',
  'Shrink sheets that are wider than the page, so that no column is moved to another page':
    'Verkleinert breite Tabellen, damit keine Spalte auf eine andere Seite rutscht.',
  'Scale of the content on the page, 0.1 to 2.': '1 ist die Originalgröße.',
  'Size of the body text in pt, 4 to 60; other font sizes scale with it. Defaults to the size of the profile.':
    'Andere Größen werden angepasst. Standard: passend zum E-Reader.',
  'Sizes of the images in the icon, 1 to 256 pixels, such as 16,32,48. Defaults to the common sizes.':
    'Zum Beispiel 16,32,48. Leer lassen für die üblichen Größen.',
  'Slower presets make smaller files of the same quality.':
    'Langsamere Stufen ergeben kleinere Dateien gleicher Qualität.',
  'Removes speckles of up to this many pixels.': 'Kleinere Flecken werden entfernt.',
  'Removes speckles smaller than this many pixels on a side.': 'Kleinere Flecken werden entfernt.',
  'Start time, as HH:MM:SS.ms or seconds.': 'Anfang, z. B. 00:00:10 oder 10.5 Sekunden.',
  'Start time, as HH:MM:SS.ms.': 'Anfang, z. B. 00:00:10',
  'Straightens skewed pages; their images are re-encoded.':
    'Richtet schiefe Scans gerade. Ihre Bilder werden neu kodiert.',
  'A color such as #ff0000, or a name such as red.': 'Ein Farbname oder ein Wert wie #ff0000.',
  'Terms to remove permanently, ignoring case: a list, or separated by commas.':
    'Wörter oder Ausdrücke, die endgültig entfernt werden, durch Kommas getrennt. Groß- und Kleinschreibung ist egal.',
  'Text in any script. Send either this or an image as an additional file.':
    'Text in jeder Sprache, oder füge stattdessen ein Bild hinzu.',
  'Text such as `Page {page} of {pages}`.': 'Zum Beispiel Seite {page} von {pages}.',
  'The device that images and font sizes are optimized for, such as kindle_pw3, tablet or generic_eink.':
    'Bilder und Schriftgrößen werden an dieses Gerät angepasst.',
  'The image appears coarse at first and sharpens while it loads.':
    'Erscheint sofort und wird beim Laden schärfer.',
  'Time of the frame, as HH:MM:SS.ms or seconds; if count is more than 1, the time of the first frame. Defaults to a frame that is not blank, about a third into the video.':
    'Zeitpunkt des (ersten) Bildes, z. B. 00:00:10. Leer lassen für automatisch.',
  'Time of the frame, as HH:MM:SS.ms or seconds; for a contact sheet, the time of its first frame. Defaults to a frame that is not blank.':
    'Zeitpunkt des (ersten) Bildes, z. B. 00:00:10. Leer lassen für automatisch.',
  'Traces the light parts instead of the dark ones.': 'Zeichnet die hellen Bereiche statt der dunklen nach.',
  'Video codec; copy keeps the video stream unchanged if possible.':
    '„Unverändert kopieren“ lässt das Video, wie es ist, wenn möglich.',
  'Volume factor: 0.5 halves the volume, 2 doubles it.': '0.5 ist halb so laut, 2 doppelt so laut.',
  'Separator of the fields in the input table: comma, semicolon, tab, pipe, space, colon or another character. Detected from the first lines by default or with auto.':
    'Trennzeichen der CSV-Datei. Wird normalerweise automatisch erkannt.',
  'Position of the watermark. By default, diagonal for text and center for an image; tile repeats it.':
    'Standard: diagonal bei Text, in der Mitte bei einem Bild.',
  'Whether readers may add comments.': '',
  'Whether readers may edit the pages.': '',
  'Whether readers may copy text and images.': '',
  'Whether readers may fill in forms.': '',
  'Whether readers may print.': '',
  'Whether the first line of the input table contains column names. If true, a spreadsheet shows this line in bold and repeats it on each printed or PDF page. If false, a document shows it as an ordinary row.':
    'Die Kopfzeile ist fett und steht auf jeder gedruckten Seite.',
  'Number of the font in a collection, starting at 1': 'Nummer der Schrift in der Sammlung, ab 1.',
  'The author, or the artist of a song.': 'Der Autor, bei einem Lied der Interpret.',
  'Width in pixels; by default at most 480. The aspect ratio is kept.':
    'Standard: bis zu 480. Das Seitenverhältnis bleibt.',
  'Width in pixels. The height is scaled to match unless it is set too.':
    'Breite oder Höhe leer lassen, um die Proportionen zu erhalten.',
  'Width of the watermark image as a percentage of the width of the page, image or video.':
    'In Prozent der Seite, des Bildes oder Videos.',
  'Width of the window in pixels.': 'Breite des Browserfensters.',
  'Width to cut off, such as 20mm, 1in or 36pt.':
    'Breite, die abgeschnitten wird, zum Beispiel 20mm, 1in oder 36pt.',
  'Separated by commas.': 'Durch Kommas getrennt.',
  'auto (or remux-if-possible) copies the streams if possible and re-encodes them otherwise; encode always re-encodes.':
    'Kopieren ist schnell und verlustfrei; neu kodieren geht immer.',
  'auto copies the streams if all videos have the same format and neither quality nor preset is set; encode always re-encodes.':
    'Videos gleichen Formats lassen sich ohne Neukodieren verbinden.',
  'color traces all colors, bw traces the dark parts in black.':
    'Alle Farben nachzeichnen oder nur die dunklen Bereiche in Schwarz.',
  'flow creates editable text, headings, lists and tables; exact keeps each line at its position on the page. Defaults to flow.':
    'Bearbeitbarer Text fließt wie in einem normalen Dokument; die genaue Position sieht aus wie das PDF.',
  'hybrid runs OCR on scanned pages first; fast does not.':
    'Texterkennung macht gescannte Seiten bearbeitbar, dauert aber länger.',
  'keep joins the bookmarks, per_file groups them by file name, none drops them.':
    'Was mit den Lesezeichen der Dateien geschieht.',
  'keep preserves what the camera or author stored, including the location.':
    'Kameradaten und Ort behalten oder entfernen.',
  'max fits the image into the box without enlarging it; crop fills the box and cuts off the rest; scale fits the image into the box and may enlarge it.':
    'Wie das Bild in Breite und Höhe eingepasst wird.',
  'max fits the image into the box without enlarging it, crop fills the box and cuts off the rest, scale stretches the image to the box.':
    'Wie das Bild in Breite und Höhe eingepasst wird.',
  'none removes the hints, which sharpen small text on low-resolution screens; the file becomes smaller':
    'Ohne Hinting wird die Datei kleiner, aber kleine Schrift kann auf groben Bildschirmen schlechter aussehen.',
  'optimized favors the colors of moving parts; full treats all parts of the image equally.':
    'Welche Teile des Bildes die besten Farben bekommen.',
  'srgb or gray: gray, or grayscale, converts to shades of gray.': 'Grau wandelt in Graustufen um.',
  'srgb, adobe-rgb or gray: adobe-rgb keeps more colors for print; gray, or grayscale, converts to shades of gray.':
    'Adobe RGB erhält mehr Farben für den Druck, Grau wandelt in Graustufen um.',
}

export default hints
