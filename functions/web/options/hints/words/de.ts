import type en from './en.ts'

const hints: typeof en = {
  '1 to 100, or low, medium, high, highest. Higher is better and larger.':
    '1 bis 100 oder eine Stufe. Mehr ist besser und größer.',
  '1 to 100, or low, medium, high, highest. Lower is smaller.':
    '1 bis 100 oder eine Stufe. Weniger ist kleiner.',
  '240p to 4k set the shorter side; for a box such as 1280x720, the video is fitted into it. The aspect ratio is kept.':
    '240p bis 4k ist die kürzere Seite; in einen Rahmen wie 1280x720 wird eingepasst. Die Form bleibt.',
  'Frames per second.': 'Bilder pro Sekunde.',
  'Start time, as HH:MM:SS.ms or seconds.': 'Wo es anfängt, als HH:MM:SS.ms oder in Sekunden.',
  'End time, as HH:MM:SS.ms or seconds.': 'Wo es endet, als HH:MM:SS.ms oder in Sekunden.',
  'Start time, as HH:MM:SS.ms.': 'Wo es anfängt, als HH:MM:SS.ms.',
  'End time, as HH:MM:SS.ms.': 'Wo es endet, als HH:MM:SS.ms.',
  'Rotates the video clockwise by this many degrees.':
    'Um wie viel Grad das Bild im Uhrzeigersinn gedreht wird.',
  'Degrees clockwise, in addition to the rotation stored by the camera.':
    'Grad im Uhrzeigersinn, zusätzlich zu der Drehung, die die Kamera vermerkt hat.',
  'Degrees clockwise: 90, 180, 270 or -90.': 'Grad im Uhrzeigersinn: 90, 180, 270 oder -90.',
  'Color behind transparent parts, such as #ff8800 or white. By default, transparency is kept if the codec supports it; otherwise transparent parts become white in animations and black in videos.':
    'Farbe hinter durchsichtigen Teilen, als #ff8800 oder white. Ohne Angabe bleiben sie durchsichtig, wo der Codec das kann; sonst werden sie in Animationen weiß, in Filmen schwarz.',
  'Color behind transparent parts, such as #ff8800. White where the format has no transparency.':
    'Farbe hinter durchsichtigen Teilen, als #ff8800. Weiß, wo das Format keine Durchsichtigkeit kennt.',
  'Bits per second of each audio track, such as 128k, if the codec supports different bit rates.':
    'Bits pro Sekunde jeder Tonspur, als 128k; wo der Codec eine Wahl lässt.',
  'auto (or remux-if-possible) copies the streams if possible and re-encodes them otherwise; encode always re-encodes.':
    'Bild und Ton werden übernommen, wo sie passen, und sonst neu kodiert; oder immer neu kodiert.',
  'auto copies the streams if all videos have the same format; encode always re-encodes.':
    'Wo alle Filme gleich aufgebaut sind, werden sie übernommen; oder immer neu kodiert.',
  'Video codec; copy keeps the video stream unchanged if possible.':
    'Codec des Bildes; oder es bleibt, wie es ist, wo es passt.',
  'Audio codec; copy keeps the audio stream unchanged if possible.':
    'Codec des Tons; oder er bleibt, wie er ist, wo er passt.',
  'Bits per second of the video track, such as 2M.': 'Bits pro Sekunde des Bildes, als 2M.',
  'Constant quality: lower is better. The maximum for h264 and h265 is 51.':
    'Gleichbleibende Qualität: weniger ist besser. Bei H.264 und H.265 ist 51 das Ende.',
  'Slower presets make smaller files of the same quality.':
    'Langsamer ergibt kleinere Dateien gleicher Qualität.',
  'Encodes in two passes: meets the bit rate more precisely but takes twice as long.':
    'Trifft die Bitrate genauer, in der doppelten Zeit.',
  'Samples per second; the nearest rate that the codec supports is used.':
    'Abtastungen pro Sekunde; genommen wird die nächste, die der Codec kennt.',
  'Channels of each audio track: 1 for mono, 2 for stereo, 6 for 5.1; limited by the codec.':
    'Kanäle jeder Tonspur: 1 mono, 2 stereo, 6 für 5.1; höchstens so viele, wie der Codec fasst.',
  'Volume factor: 0.5 halves the volume, 2 doubles it.': 'Lautstärke: 0.5 halbiert, 2 verdoppelt sie.',
  'Width in pixels; by default at most 480. The aspect ratio is kept.':
    'Breite in Bildpunkten, ohne Angabe höchstens 480; die Höhe ergibt sich.',
  'Width in pixels; the height keeps the proportions unless it is set too.':
    'Breite in Bildpunkten; die Höhe ergibt sich, wenn sie nicht auch angegeben ist.',
  'Height in pixels; the width keeps the proportions unless it is set too.':
    'Höhe in Bildpunkten; die Breite ergibt sich, wenn sie nicht auch angegeben ist.',
  'Width of the window in pixels.': 'Breite des Fensters in Bildpunkten.',
  'Height of the window in pixels.': 'Höhe des Fensters in Bildpunkten.',
  'Pixels. When left out, it follows from the height; when both are left out, the box is 256 by 256.':
    'Bildpunkte. Ohne Angabe folgt sie aus der Höhe; ohne beide gilt ein Rahmen von 256 mal 256.',
  'Pixels. When left out, it follows from the width; when both are left out, the box is 256 by 256.':
    'Bildpunkte. Ohne Angabe folgt sie aus der Breite; ohne beide gilt ein Rahmen von 256 mal 256.',
  'How often the animation plays; 0 means forever.': 'Wie oft es läuft; 0 ist für immer.',
  'Plays the animation forward, then backward.': 'Läuft vorwärts, dann rückwärts.',
  'optimized favors the colors of moving parts, full those of the whole image.':
    'Bevorzugt die Farben dessen, was sich bewegt, oder die des ganzen Bildes.',
  'Dithering method for colors that are not in the palette.': 'Wie fehlende Farben gemischt werden.',
  'Maximum size in bytes, or such as 500k or 2M: first the frame rate and then the dimensions are reduced until the file fits.':
    'Bytes, oder als 500k, 2M: erst sinkt die Zahl der Bilder pro Sekunde, dann die Größe, bis es passt.',
  'max fits inside without enlarging, crop fills the box and cuts off the rest, scale fits inside and may enlarge.':
    'Einpassen, mit oder ohne Vergrößern, oder füllen und beschneiden.',
  'max fits inside without enlarging, crop fills the box and cuts off the rest, scale stretches to the box.':
    'Einpassen ohne Vergrößern, den Rahmen füllen und Überstehendes abschneiden, oder seine Form annehmen.',
  'Time of the frame, as HH:MM:SS.ms or seconds; of the first frame of a contact sheet. By default a frame that is not blank.':
    'Stelle im Film, als HH:MM:SS.ms oder in Sekunden; bei einem Kontaktbogen die des ersten Standbilds. Ohne Angabe dort, wo etwas zu sehen ist.',
  'Time of the frame, as HH:MM:SS.ms or seconds; of the first frame if count is more than 1. By default about a third into the video, at a frame that is not blank.':
    'Stelle im Film, als HH:MM:SS.ms oder in Sekunden; bei mehreren Bildern die des ersten. Ohne Angabe etwa nach einem Drittel, wo etwas zu sehen ist.',
  'Number of rows of a contact sheet with frames evenly spaced over the video. A single frame if rows and columns are omitted; if only one of them is set, the other has the same value.':
    'Ein Kontaktbogen mit so vielen Reihen von Standbildern, gleichmäßig über den Film. Ohne Reihen und Spalten ein einziges Bild; fehlt eines davon, so viele wie das andere.',
  'Number of columns of a contact sheet with frames evenly spaced over the video. A single frame if rows and columns are omitted; if only one of them is set, the other has the same value.':
    'Ein Kontaktbogen mit so vielen Spalten von Standbildern, gleichmäßig über den Film. Ohne Reihen und Spalten ein einziges Bild; fehlt eines davon, so viele wie das andere.',
  'Maximum length of the longest side in pixels; larger images are scaled down.':
    'Längste Seite in Bildpunkten; größere Bilder werden kleiner.',
  'Longest side in pixels; larger pages are scaled down.':
    'Längste Seite in Bildpunkten; größere Seiten werden kleiner gezeichnet.',
  'srgb, adobe-rgb or gray: adobe-rgb keeps more colors for print; gray, or grayscale, converts to shades of gray.':
    'Adobe RGB behält mehr Farben für den Druck, Grau macht Graustufen daraus.',
  'srgb or gray: gray, or grayscale, converts to shades of gray.': 'Grau macht Graustufen daraus.',
  'The image appears coarse at first and sharpens while it loads.':
    'Zeigt sich beim Laden erst grob, dann feiner.',
  '1 to 100; takes precedence over quality.': '1 bis 100; gilt vor der Qualität.',
  'keep preserves what the camera or author stored, including the location.':
    'Behalten übernimmt, was Kamera oder Autor vermerkt haben, auch den Ort.',
  'Reduces the image to at most 256 colors: much smaller, but not exact.':
    'Höchstens 256 Farben: viel kleiner, nicht genau.',
  '0 is fastest, 9 is smallest; the pixels do not change.':
    '0 ist am schnellsten, 9 am kleinsten; die Bildpunkte sind gleich.',
  '0 is fastest, 9 smallest; the files are the same.':
    '0 ist am schnellsten, 9 am kleinsten; die Dateien sind gleich.',
  'Keeps every pixel exactly; quality then sets the compression effort. When left out, true for images of up to 256 colors, whose edges would otherwise blur.':
    'Jeder Bildpunkt bleibt; die Qualität sagt dann, wie viel Mühe auf eine kleine Datei verwendet wird. Ohne Angabe bei Bildern mit bis zu 256 Farben, deren Kanten sonst andere bekämen.',
  'Sizes of the images in the icon, 1 to 256 pixels, such as 16,32,48. The common sizes when left out.':
    'Seitenlängen der Bilder im Symbol, 1 bis 256, als 16,32,48. Ohne Angabe die üblichen.',
  'Languages of the text in images, at most 5 joined by +, the main one first: eng, deu, fra, spa, ita, por, nld, pol, rus, ukr, tur, ara, hin, jpn, kor, chi-sim, chi-tra.':
    'Sprachen des Textes in Bildern, höchstens 5, die wichtigste zuerst.',
  'color traces all colors, bw traces the dark parts in black.':
    'Farbig zeichnet jede Farbe nach, schwarz-weiß die dunklen Teile in Schwarz.',
  'For bw: everything darker than this brightness, in percent, is black.':
    'Bei Schwarz-weiß: was dunkler ist als so viel Prozent, ist schwarz.',
  'Everything darker than this brightness, in percent, is traced.':
    'Was dunkler ist als so viel Prozent, wird nachgezeichnet.',
  'Speckles with sides below this many pixels are left out.':
    'Flecken, deren Seite kleiner ist als so viele Bildpunkte, fallen weg.',
  'Speckles of up to this many pixels are left out.': 'Flecken von bis zu so vielen Bildpunkten fallen weg.',
  'Bits per color channel: fewer bits give fewer, larger shapes.':
    'Bits pro Farbkanal: weniger ergibt weniger und größere Formen.',
  'Outlines as curves (spline), straight lines (polygon) or pixel steps (pixel).':
    'Umrisse als Kurven, als gerade Linien oder als Stufen aus Bildpunkten.',
  'Traces the light parts instead of the dark ones.': 'Die hellen Teile nachzeichnen, nicht die dunklen.',
  'How much corners are rounded: 0 keeps all of them sharp, 100 rounds all of them.':
    'Wie rund Ecken werden: bei 0 bleiben alle scharf, bei 100 keine.',
  'Pixels per inch at which vector drawings are rendered; at 96, one pixel of the drawing becomes one pixel.':
    'Bildpunkte pro Zoll, mit denen Formen gezeichnet werden; bei 96 ist ein Bildpunkt der Zeichnung einer.',
  'Pixels per inch of the drawing.': 'Bildpunkte pro Zoll der Zeichnung.',
  'Pixels per inch.': 'Bildpunkte pro Zoll.',
  'Every font is embedded, so that pages look the same everywhere; false has no effect and causes a warning':
    'Jede Schrift wird eingebettet, damit Seiten überall gleich aussehen; ausgeschaltet bleibt es ohne Wirkung, was gemeldet wird.',
  'Password to open the PDF, if it needs one.': 'Öffnet ein PDF, das eines braucht.',
  'Page numbers and ranges such as 1-5,10,15-last. A range may run backward. Defaults to all pages.':
    'Seiten, die genommen werden, als 1-5,10,15-last. Ein Bereich darf rückwärts laufen. Ohne Angabe alle.',
  'flow creates editable text, headings, lists and tables; exact keeps each line at its position on the page. Defaults to flow.':
    'Text, Überschriften, Listen und Tabellen zum Bearbeiten, oder jede Zeile dort, wo sie auf ihrer Seite steht. Ohne Angabe zum Bearbeiten.',
  'hybrid runs OCR on scanned pages first; fast does not.':
    'Auf Wunsch wird zuerst der Text gescannter Seiten gelesen.',
  'Fonts are named but never embedded; a warning says so when this is set.':
    'Ein Hinweis: Schriften werden genannt, nie eingebettet; wo sie verlangt wurden, sagt es eine Warnung.',
  'The device that pictures and font sizes are made for, as kindle_pw3, tablet or generic_eink.':
    'Das Gerät, auf das Bilder und Schriftgrößen zugeschnitten werden.',
  'Margins in pt from 0 to 200: one number for all sides, four as "top,bottom,left,right", or by side as "top=10,left=20". 5 where left out.':
    'Ränder in pt von 0 bis 200: eine Zahl für alle Seiten, vier als „oben,unten,links,rechts“, oder einzeln als „top=10,left=20“. Ohne Angabe 5.',
  'Size of the text in pt, 4 to 60; other sizes follow. That of the profile when left out.':
    'Schriftgröße in pt, 4 bis 60; andere Größen folgen ihr. Ohne Angabe die des Geräts.',
  'Puts the fonts that the document names into the book, where they are at hand.':
    'Nimmt die Schriften, die das Dokument nennt, ins Buch auf, soweit sie vorhanden sind.',
  'Makes straight quotes, double hyphens and three dots typographic ones.':
    'Macht aus geraden Anführungszeichen, doppelten Bindestrichen und drei Punkten typografische.',
  'Leaves all font sizes as the document has them.': 'Lässt alle Schriftgrößen, wie das Dokument sie hat.',
  'Password of a protected document.': 'Öffnet ein geschütztes Dokument.',
  'A3, A4, A5, Letter, Legal, or width and height such as `210x297mm` (mm, cm, in, pt)':
    'A3, A4, A5, Letter, Legal, oder Breite und Höhe als 210x297mm (mm, cm, in, pt).',
  'Landscape (true) or portrait (false) for every page; as in the document when left out':
    'Jede Seite quer oder hoch; ohne Angabe, wie das Dokument es vorsieht.',
  'Margin at the top of every page, such as 20mm, 2cm, 1in or 72pt':
    'Abstand oben auf jeder Seite, als 20mm, 2cm, 1in oder 72pt.',
  'Margin at the right of every page, such as 20mm, 2cm, 1in or 72pt':
    'Abstand rechts auf jeder Seite, als 20mm, 2cm, 1in oder 72pt.',
  'Margin at the bottom of every page, such as 20mm, 2cm, 1in or 72pt':
    'Abstand unten auf jeder Seite, als 20mm, 2cm, 1in oder 72pt.',
  'Margin at the left of every page, such as 20mm, 2cm, 1in or 72pt':
    'Abstand links auf jeder Seite, als 20mm, 2cm, 1in oder 72pt.',
  "Header text of every page, replacing the document's own; {page}, {pages} and {date} are filled in":
    'Text am Kopf jeder Seite anstelle dessen im Dokument; {page}, {pages} und {date} werden ausgefüllt.',
  "Footer text of every page, replacing the document's own; {page}, {pages} and {date} are filled in":
    'Text am Fuß jeder Seite anstelle dessen im Dokument; {page}, {pages} und {date} werden ausgefüllt.',
  'Encoding of the text that is sent, as windows-1251, iso-8859-2, koi8-r, shift_jis, gb18030, big5, euc-kr or utf-16le. Found out when left out or auto, with a warning where it had to be guessed; a byte order mark in the file counts for more.':
    'Zeichenkodierung des Textes, als windows-1251, iso-8859-2 oder shift_jis. Ohne Angabe wird sie ermittelt, mit einer Warnung, wo sie erraten werden musste; eine Bytereihenfolge-Marke in der Datei zählt mehr.',
  'Size of the content on the page, 0.1 to 2.': 'Größe des Inhalts auf der Seite, 0.1 bis 2.',
  'Also print background colors and images.': 'Auch Farben und Bilder hinter dem Text drucken.',
  'Pixels of the image per pixel of the page, 0.5 to 4.':
    'Bildpunkte des Bildes pro Bildpunkt der Seite, 0.5 bis 4.',
  'Capture the whole page, not only what fits in the window.':
    'Die ganze Seite zeigen, nicht nur, was ins Fenster passt.',
  'Shrink sheets that are wider than the page, so that no column is moved to another page':
    'Tabellen verkleinern, die breiter sind als die Seite, damit keine Spalte auf eine andere Seite rutscht.',
  'Whether the first line of the table that is sent names the columns. true: in a spreadsheet it is text in bold, and begins each page of print and PDF. false: in a document it is a row like the others.':
    'Ob die erste Zeile der Tabelle die Spalten nennt: dann ist sie fett und beginnt jede gedruckte Seite; sonst ist sie eine Zeile wie die anderen.',
  'What parts the fields of the table that is sent: comma, semicolon, tab, pipe, space, colon or another sign. Found out from its first lines when left out or auto.':
    'Was die Felder der Tabelle trennt: comma, semicolon, tab, pipe, space, colon oder ein anderes Zeichen. Ohne Angabe wird es an den ersten Zeilen erkannt.',
  'Opens an archive that needs one. The result is not protected.':
    'Öffnet ein Archiv, das eines braucht. Das Ergebnis ist nicht geschützt.',
  'Password for the files that need one. The result is not encrypted.':
    'Öffnet die Dateien, die eines brauchen. Das Ergebnis ist nicht geschützt.',
  'none drops the instructions for small sizes on coarse screens: a smaller file':
    'Entfernen lässt die Anweisungen für kleine Größen auf groben Bildschirmen weg: eine kleinere Datei.',
  'Keep only these characters: the text itself, or ranges such as U+0020-007E,U+20AC':
    'Nur diese Zeichen behalten: der Text selbst, oder Bereiche wie U+0020-007E,U+20AC.',
  'Height of the bitmaps in pixels': 'Höhe der Bitmaps in Bildpunkten.',
  'Which font of a collection, from 1': 'Welche Schrift einer Sammlung, ab 1.',
  'Seconds of silence between two files.': 'Sekunden Stille zwischen zwei Stücken.',
  'How to arrange the images: vertical in a column, horizontal in a row, grid in rows and columns.':
    'Wie die Bilder liegen: untereinander, nebeneinander, oder in Reihen und Spalten.',
  'keep joins the bookmarks, per_file groups them by file name, none drops them.':
    'Die Lesezeichen werden verbunden, oder stehen je unter dem Namen ihrer Datei.',
  'Straightens skewed pages; their images are encoded again.':
    'Rückt schiefe Seiten gerade; ihre Bilder werden neu kodiert.',
  'Password to open the PDF, if it needs one; the result keeps it.':
    'Öffnet ein PDF, das eines braucht; das Ergebnis braucht es auch.',
  'One file per range, such as 1-3,4-last. Defaults to one file per page.':
    'Eine Datei für jeden Teil, als 1-3,4-last. Ohne Angabe eine Datei für jede Seite.',
  'Password that readers need to open the result.': 'Wer das Ergebnis öffnet, braucht es.',
  'Lifts the restrictions. Defaults to the password, or to a random one when permissions are restricted.':
    'Hebt die Beschränkungen auf. Ohne Angabe das Passwort selbst, oder unbekannt, wo etwas beschränkt ist.',
  'Password to open the source, if it needs one.': 'Öffnet eine Quelle, die eines braucht.',
  'Whether readers may print.': 'Ob Leser drucken dürfen.',
  'Whether readers may copy text and images.': 'Ob Leser Text und Bilder kopieren dürfen.',
  'Whether readers may change pages.': 'Ob Leser Seiten ändern dürfen.',
  'Whether readers may add comments.': 'Ob Leser Kommentare hinzufügen dürfen.',
  'Whether readers may fill in forms.': 'Ob Leser Formulare ausfüllen dürfen.',
  'Password to open the PDF. Not needed when only its permissions are restricted.':
    'Öffnet das PDF. Nicht nötig, wo nur seine Verwendung beschränkt ist.',
  'Pages to change, such as 1-5,10,15-last. Defaults to all pages.':
    'Seiten, die geändert werden, als 1-5,10,15-last. Ohne Angabe alle.',
  'Image resolution: screen 72 dpi, ebook 150, printer and prepress 300.':
    'Bildschirm 72 dpi, Lesen 150, Drucken und Druckvorstufe 300.',
  'PDF/A part and conformance level.': 'Teil und Stufe von PDF/A.',
  'Pages of the result, in order, such as 1,3,5 or 7-last.':
    'Seiten des Ergebnisses in ihrer Reihenfolge, als 1,3,5 oder 7-last.',
  'Pages to remove, such as 2,4.': 'Seiten, die wegfallen, als 2,4.',
  'Pages to search. Defaults to all pages.': 'Seiten, auf denen gesucht wird. Ohne Angabe alle.',
  'Text in any script. Send either this or an image as an additional file.':
    'In jeder Schrift. Entweder dies oder ein Bild als weitere Datei.',
  'When left out, diagonal for text and center for an image; tile repeats it.':
    'Ohne Angabe diagonal für einen Text und in der Mitte für ein Bild; „Überall“ wiederholt es.',
  'Such as #ff0000, or a name such as red.': 'Als #ff0000, oder ein Name wie red.',
  '0.01 is barely visible, 1 is opaque. Also in percent, such as 30%.':
    '0.01 ist kaum zu sehen, 1 deckt. Auch in Prozent, als 30%.',
  'Points on a page, pixels on an image or video. When left out, as large as fits well.':
    'Punkte einer Seite, Bildpunkte eines Bildes oder Films. Ohne Angabe so groß, wie es gut passt.',
  'Minimum distance from the edge, in points or pixels. When left out, a 25th of the shorter side; less if there is no room.':
    'Kleinster Abstand vom Rand, in Punkten oder Bildpunkten. Ohne Angabe ein Fünfundzwanzigstel der kürzeren Seite; weniger, wo der Platz fehlt.',
  'Width of the watermark image in percent of the page, image or video.':
    'Breite des Bildes in Prozent der Seite, des Bildes oder Films, auf dem es liegt.',
  'New page order, such as 3,1,2. Pages not named follow in their original order.':
    'Die neue Reihenfolge, als 3,1,2. Nicht genannte Seiten folgen in ihrer alten.',
  'Position on the page.': 'Wo auf der Seite.',
  'Text such as `Page {page} of {pages}`.': 'Als Seite {page} von {pages}.',
  'Number of the first numbered page.': 'Zahl der ersten Seite, die eine hat.',
  'Distance from the edge, such as 24pt or 10mm.': 'Abstand vom Rand, als 24pt oder 10mm.',
  'Points.': 'Punkte.',
  'An empty value removes the entry; without the option it is kept. The same applies to the other fields.':
    'Leer entfernt ihn, ohne Angabe bleibt er; so auch bei den anderen.',
  'Removes all existing metadata first.': 'Entfernt zuerst alles Vorhandene.',
  'Program that created the original document.': 'Programm, mit dem das Original entstand.',
  'Program that created the PDF.': 'Programm, mit dem das PDF entstand.',
  'Width to cut off, such as 20mm, 1in or 36pt.': 'Was abgeschnitten wird, als 20mm, 1in oder 36pt.',
  'Left, top, width, height in points from the top left corner, instead of margins.':
    'Links, oben, Breite, Höhe in Punkten von der oberen linken Ecke aus, anstelle von Rändern.',
  'Terms to remove permanently, ignoring case: a list, or separated by commas.':
    'Texte, die endgültig verschwinden, groß oder klein geschrieben: eine Liste, oder mit Kommas dazwischen.',
  'Also removes links that lead out of the document.': 'Auch Links, die aus dem Dokument hinausführen.',
  'Also removes title, author and other metadata.': 'Auch Titel, Autor und andere Metadaten.',
  'A page is blank when at most this percentage of it is darker than paper.':
    'Eine Seite ist leer, wenn höchstens dieser Anteil, in Prozent, dunkler ist als Papier.',
  'Maximum size of the result in bytes, or such as 500k or 8M. Use it instead of quality.':
    'Bytes, die das Ergebnis höchstens haben darf, als 500k, 8M oder eine Zahl; anstelle der Qualität.',
  'Maximum size of the result in bytes; quality and then dimensions are reduced until it fits.':
    'Bytes, die das Ergebnis haben darf; erst sinkt die Qualität, dann die Größe, bis es passt.',
  'Maximum size of the result in bytes; image quality is reduced until it fits.':
    'Bytes, die das Ergebnis haben darf; Bilder werden gröber, bis es passt.',
  'Maximum size in bytes; the best quality that fits is used.':
    'Bytes. Die beste Qualität, die nicht größer ist.',
  'Named quality levels; web equals ebook, max is the smallest.':
    'Qualitäten mit Namen; „Web“ ist wie „Lesen“.',
  'Number of images, evenly spaced over the video.': 'So viele Bilder, gleichmäßig über den Film.',
  'Number of pages, starting with the first; each becomes an image.':
    'So viele Seiten von der ersten an, von jeder ein Bild.',
  'Who made it; the artist of a song.': 'Von wem es ist; bei einem Lied der Interpret.',
  'With a comma between.': 'Mit einem Komma dazwischen.',
  'First removes all that there is, as places, cameras and programs; what it looks like stays.':
    'Entfernt zuerst alles Vorhandene wie Orte, Kameras und Programme; das Aussehen bleibt.',
  'A comment or caption.': 'Ein Kommentar oder eine Bildunterschrift.',
  'As 2026-01-31 or 2026-01-31T12:00:00Z.': 'Als 2026-01-31 oder 2026-01-31T12:00:00Z.',
  'Needed to open the archive (AES-256). In a 7z it hides the names of the files too.':
    'Nötig, um das Archiv zu öffnen (AES-256). In einem 7z verbirgt es auch die Namen der Dateien.',
  'Files to take, by name or path in the archive; * stands for any characters and ? for one, as docs/*.pdf. All when left out.':
    'Dateien, die genommen werden, nach Name oder Pfad im Archiv; * steht für beliebige Zeichen und ? für eines, als docs/*.pdf. Ohne Angabe alle.',
}

export default hints
