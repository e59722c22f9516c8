import { pluralIn } from '../../words/plural.ts'
import { listCounts, listNames, type Sentences, toPercent, type WarningCatalog } from '../catalog.ts'

const texts: WarningCatalog['texts'] = {
  ACTIVE_CONTENT_REMOVED: 'Skripte und andere aktive Inhalte wurden entfernt, weil PDF/A sie verbietet.',
  ANIMATION_DROPPED: 'Nur das erste Bild der Animation wurde übernommen.',
  ATTACHMENTS_DROPPED: 'Anhänge wurden nicht übernommen.',
  AUDIO_TRACKS_DROPPED: 'Nicht alle Tonspuren wurden übernommen.',
  BOOKMARKS_DROPPED: 'Die Lesezeichen wurden nicht übernommen.',
  CHANNELS_MIXED: 'Der Ton wurde auf weniger Kanäle gemischt.',
  CHAPTERS_DROPPED: 'Die Kapitelmarken wurden nicht übernommen.',
  COLORS_CONVERTED: 'Die Farben wurden in einen anderen Farbraum umgerechnet.',
  COLOR_DEPTH_REDUCED: 'Die Farben wurden auf 8 Bit pro Kanal verringert.',
  COLUMNS_DROPPED: 'Die Tabelle hat zu viele Spalten: Die letzten fehlen.',
  COMMANDS_DROPPED: 'Unbekannte LaTeX-Befehle wurden mit ihrem Text ausgelassen.',
  CONTENT_LOST: 'Ein Teil des Inhalts fehlt im Ergebnis. Bitte prüfe es.',
  CONTENT_REDUCED: 'Die Datei wurde auf einem anderen Weg umgewandelt, der weniger erhält.',
  COUNTING_STOPPED: 'Der Inhalt ist zu groß, um ihn ganz zu vergleichen. Bitte prüfe, ob etwas fehlt.',
  COVER_DROPPED: 'Das Titelbild wurde nicht übernommen.',
  DATA_DROPPED: 'Datenspuren ohne Bild, Ton oder Text wurden nicht übernommen.',
  DUPLICATES_DROPPED:
    'Mehrere Dateien des Archivs haben denselben Namen; nur die jeweils letzte ist enthalten.',
  ENCODING_ASSUMED: 'Die Zeichenkodierung wurde geschätzt. Bitte prüfe Umlaute und Sonderzeichen.',
  ENCRYPTION_REMOVED: 'Die Datei war durch ein Passwort geschützt, das Ergebnis ist es nicht.',
  FACES_DROPPED: 'Nur ein Schnitt der Schriftsammlung wurde umgewandelt.',
  FOLDERS_DROPPED: 'Dieses Format kennt keine Ordner: Alle Dateien liegen nebeneinander.',
  FONTS_NOT_EMBEDDED: 'Das Dokument nennt die Schriften des PDFs, enthält sie aber nicht.',
  FONTS_SUBSTITUTED: 'Fehlende Schriften wurden durch ähnliche ersetzt.',
  FONT_TABLES_DROPPED: 'Einige Funktionen der Schrift gingen verloren.',
  FORM_FLATTENED: 'Die Formularfelder lassen sich nicht mehr ausfüllen; ihre Einträge bleiben sichtbar.',
  FRAME_RATE_ASSUMED: 'Die Bildrate der Untertitel wurde angenommen. Prüfe, ob die Zeiten passen.',
  GLYPHS_MISSING: 'Für einige Zeichen fehlt eine Schrift; sie erscheinen als Kästchen.',
  HIDDEN_DROPPED: 'Ausgeblendete Teile der Arbeitsmappe fehlen im Ergebnis.',
  HIDDEN_KEPT: 'Das Ergebnis enthält ausgeblendete Inhalte. Lösche, was privat bleiben muss.',
  HIGHLIGHTS_CLIPPED: 'Sehr helle Stellen des Bildes wurden weiß.',
  IMAGE_DAMAGED: 'Das Foto ist beschädigt; ein Teil davon fehlt vielleicht.',
  INCLUDES_DROPPED: 'Eingebundene Dateien fehlen, weil sie nicht mitgeschickt wurden.',
  ITEM_FAILED: 'Eine der Dateien konnte nicht umgewandelt werden.',
  LAYOUT_NOT_REBUILT: 'Das Layout ließ sich nicht nachbauen: Die Seiten enthalten Bilder.',
  LETTERS_REPLACED: 'Ungültige Zeichen wurden ersetzt.',
  LINKS_DROPPED: 'Links oder verlinkte Dateien fehlen im Ergebnis.',
  MAY_BE_DAMAGED: 'Die Datei ist vielleicht beschädigt. Bitte prüfe, ob im Ergebnis etwas fehlt.',
  METADATA_DROPPED: 'Einige Angaben wie Titel oder Tags wurden nicht übernommen.',
  METADATA_INCOMPLETE: 'Die Datei ist teilweise beschädigt; die lesbaren Metadaten sind enthalten.',
  METADATA_NOT_KEPT: 'Das Zielformat kann nicht alle Metadaten speichern.',
  NOTHING_TO_DO: 'Es gab nichts zu tun: Die Datei bleibt, wie sie war.',
  NOT_SMALLER: 'Die Datei wurde nicht kleiner und bleibt unverändert.',
  NO_TABLES: 'Es wurden keine Tabellen gefunden. Das Blatt enthält den Text, Zeile für Zeile.',
  NO_TEXT: 'Die Seiten enthalten keinen Text, nur Bilder davon.',
  OCR_UNCERTAIN: 'Ein Teil der Wörter war schwer zu lesen. Prüfe sie, oder nimm einen schärferen Scan.',
  OCR_USED: 'Der Text einiger Seiten wurde aus Bildern erkannt (OCR). Bitte prüfe ihn.',
  OPTION_IGNORED: 'Eine Option hatte hier keine Wirkung.',
  OPTION_NOT_HELD: 'Eine Option hat in diesem Format keine Wirkung.',
  OPTION_NOT_USED: 'Eine Option wird hier nicht unterstützt und wurde ignoriert.',
  PAGES_DROPPED: 'Nicht alle Seiten wurden umgewandelt.',
  PAGE_CUT: 'Die Seite ist zu lang: Ihr Ende fehlt.',
  PDFA_CLAIM_REMOVED: 'Das Ergebnis ist kein PDF/A mehr. Wandle es bei Bedarf wieder in PDF/A um.',
  PICTURES_DROPPED: 'Einige Bilder fehlen im Ergebnis.',
  PICTURES_REDUCED: 'Die Seitenbilder wurden zum Lesen des Textes verkleinert.',
  PICTURES_UNSHOWN: 'Einige Bilder können viele E-Book-Reader nicht anzeigen.',
  PLANES_DROPPED: 'Nicht alle Ebenen der Bilddaten wurden übernommen.',
  RAW_PARTS_DROPPED: 'Teile, die nur für ein anderes Format geschrieben sind, wurden ausgelassen.',
  REFERENCES_MISSING: 'Die Zeichnung verweist auf Elemente, die sie nicht enthält.',
  RESTRICTIONS_VOID: 'Beide Passwörter sind gleich: Wer das PDF öffnet, darf alles.',
  ROWS_DROPPED: 'Die Tabelle hat zu viele Zeilen: Die letzten fehlen.',
  SAMPLES_ROUNDED: 'Die Genauigkeit des Tons wurde verringert.',
  SCRIPTS_NOT_RUN: 'Skripte der Seite wurden nicht ausgeführt. Bitte prüfe, ob etwas fehlt.',
  SCRIPTS_STOPPED:
    'Die Skripte der Seite liefen zu lange und wurden angehalten. Bitte prüfe, ob etwas fehlt.',
  SHAPES_DROPPED: 'Formen, Bilder oder Diagramme des Blatts fehlen: Das Format speichert nur Zellen.',
  SHEETS_DROPPED: 'Nur das erste Tabellenblatt wurde umgewandelt.',
  SIGNATURE_BROKEN: 'Das Dokument ist signiert; für die geänderte Datei gilt die Signatur nicht mehr.',
  SIGNATURE_INVALID: 'Das PDF war signiert; die Änderungen machen die Signatur ungültig.',
  STREAM_ENCODED: 'Die Tonspur musste neu kodiert werden.',
  STYLES_DROPPED: 'Stile der Untertitel fehlen, etwa Fettdruck, Kursivschrift oder Farben.',
  SUBTITLES_DROPPED: 'Nicht alle Untertitel wurden übernommen.',
  TABLES_ONLY: 'Nur die Tabellen wurden umgewandelt; anderer Text fehlt.',
  TAGS_REMOVED: 'Die Struktur für Screenreader wurde entfernt, weil sie zu den alten Seiten gehört.',
  TARGET_NOT_REACHED: 'Die gewünschte Größe war nicht erreichbar; dies ist die kleinste.',
  TEMPLATES_DROPPED: 'Vorlagen des Wikis wurden ausgelassen: Nur das Wiki kann sie einsetzen.',
  TEXT_MAY_BE_MISSING: 'Einige Seiten enthalten Text nur als Bild. Führe zuerst eine Texterkennung durch.',
  TEXT_MOVED: 'Gedrehter Text steht waagerecht am Ende seiner Seite.',
  TEXT_PRESENT: 'Alle Seiten haben schon Text: Die Texterkennung wurde übersprungen.',
  TRANSPARENCY_DROPPED:
    'Durchsichtige Bereiche haben jetzt eine Farbe, weil das Format keine Transparenz speichert.',
  UNKNOWN_PARAMETER: 'Eine Option gibt es bei dieser Umwandlung nicht; sie wurde ignoriert.',
  VALUES_SCALED: 'Die Bildwerte wurden so umgerechnet, dass sie sichtbar sind.',
  VIDEO_TRACKS_DROPPED: 'Nur eine Videospur wurde übernommen.',
}

const plural = pluralIn('de')

const sentences: Sentences = {
  ATTACHMENTS_DROPPED: ({ count }) => `${plural(count, 'Anhang wurde', 'Anhänge wurden')} nicht übernommen.`,
  CONTENT_LOST: ({ unit, share }) =>
    `Nur ${toPercent(share)} % ${lostUnits[unit] ?? 'des Inhalts'} sind im Ergebnis. Bitte prüfe es.`,
  DUPLICATES_DROPPED: ({ names, count }) =>
    `${plural(count, 'Name kommt', 'Namen kommen')} im Archiv mehrfach vor; nur die jeweils letzte Datei ist enthalten: ${listNames(names, count)}.`,
  FONTS_SUBSTITUTED: ({ names, count }) =>
    `${plural(count, 'fehlende Schrift wurde durch eine ähnliche', 'fehlende Schriften wurden durch ähnliche')} ersetzt: ${listNames(names, count)}.`,
  HIDDEN_DROPPED: ({ sheets, rows, columns }) =>
    `Ausgeblendete Teile der Arbeitsmappe fehlen im Ergebnis: ${listCounts([
      [sheets, plural(sheets, 'Blatt', 'Blätter')],
      [rows, plural(rows, 'Zeile', 'Zeilen')],
      [columns, plural(columns, 'Spalte', 'Spalten')],
    ])}.`,
  LINKS_DROPPED: ({ count }) =>
    `${plural(count, 'Link oder verlinkte Datei fehlt', 'Links oder verlinkte Dateien fehlen')} im Ergebnis.`,
  OCR_UNCERTAIN: ({ share, pages, count }) =>
    `Auf ${plural(count, 'Seite', 'Seiten')} waren ${toPercent(share)} % der Wörter schwer zu lesen: ${pages}. Prüfe sie, oder nimm einen schärferen Scan.`,
  OCR_USED: ({ pages, count }) =>
    `Der Text von ${plural(count, 'Seite', 'Seiten')} wurde aus Bildern erkannt (OCR): ${pages}. Bitte prüfe ihn.`,
  PAGES_DROPPED: ({ kept, total }) =>
    `Von ${plural(total, 'Seite', 'Seiten')} ${kept === 1 ? 'wurde nur die erste' : `wurden nur die ersten ${kept}`} umgewandelt.`,
  SHEETS_DROPPED: ({ total }) =>
    `Von ${plural(total, 'Tabellenblatt', 'Tabellenblättern')} wurde nur das erste umgewandelt.`,
}

const lostUnits: Readonly<Record<string, string>> = {
  words: 'der Wörter',
  images: 'der Bilder',
  order: 'der Nachbarschaften von Wörtern',
}

const warnings: WarningCatalog = { texts, sentences }

export default warnings
