import type en from './en.ts'

const words: typeof en = {
  howTo: 'So geht es',
  options: 'Optionen',
  questions: 'Fragen',
  pages: {
    'pdf-to-word': {
      title: 'PDF in Word umwandeln',
      description:
        'Macht aus einem PDF ein Word-Dokument zum Bearbeiten, mit Überschriften, Tabellen und Bildern.',
      lead: 'Du bekommst eine DOCX-Datei zum Bearbeiten, mit Überschriften, Tabellen und Bildern.',
      steps: [
        'Füge eine oder mehrere PDF-Dateien hinzu.',
        'Drücke „In DOCX umwandeln“.',
        'Lade das Word-Dokument herunter.',
      ],
      options: [
        'Wandle nur einige Seiten um, zum Beispiel 1-5.',
        'Wähle: alles genau an seiner Stelle oder Text, der beim Tippen mitfließt.',
        'Wähle die Sprachen gescannter Seiten.',
      ],
      questions: [
        [
          'Geht das auch mit gescannten PDFs?',
          'Ja. Bei Seiten, die nur aus Bildern bestehen, wird zuerst der Text erkannt (OCR).',
        ],
        [
          'Geht das mit einem gesperrten PDF?',
          'Ja, wenn du das Passwort kennst: Gib es in den Optionen der Datei ein.',
        ],
        [
          'Welche Programme öffnen das Ergebnis?',
          'Microsoft Word, LibreOffice Writer, Google Docs, Pages und andere, die DOCX-Dateien öffnen.',
        ],
      ],
    },
    'merge-pdf': {
      title: 'PDF-Dateien zusammenfügen',
      description: 'Fügt mehrere PDF-Dateien zu einer zusammen, in der Reihenfolge, die du wählst.',
      lead: 'Füge mehrere PDFs zu einer Datei zusammen, in beliebiger Reihenfolge.',
      steps: [
        'Füge zwei oder mehr PDF-Dateien hinzu.',
        'Bringe sie in die richtige Reihenfolge.',
        'Füge sie zusammen und lade ein PDF herunter.',
      ],
      options: [
        'Nimm aus jeder Datei nur einige Seiten, zum Beispiel 1-3, 7.',
        'Ändere die Reihenfolge durch Ziehen oder mit der Tastatur.',
        'Füge Bilder, Audio oder Videos auf dieselbe Weise zusammen.',
      ],
      questions: [
        [
          'Ändert sich die Qualität?',
          'Nein. Die Seiten werden unverändert übernommen, mit Text, Bildern und Links.',
        ],
        [
          'Bleiben Lesezeichen erhalten?',
          'Ja, jede Datei behält ihre eigenen Lesezeichen im zusammengefügten PDF.',
        ],
      ],
    },
    'compress-pdf': {
      title: 'PDF verkleinern',
      description: 'Macht ein PDF kleiner, für E-Mails und Formulare.',
      lead: 'Mach PDFs kleiner, für E-Mails und Formulare.',
      steps: [
        'Füge eine oder mehrere PDF-Dateien hinzu.',
        'Drücke „PDF verkleinern“.',
        'Vergleiche die Größen und lade das Ergebnis herunter.',
      ],
      options: [
        'Wähle zwischen bester Qualität und kleinster Datei.',
        'Text und Vektorgrafiken bleiben scharf; nur Bilder werden komprimiert.',
      ],
      questions: [
        [
          'Wie viel kleiner wird die Datei?',
          'Das hängt von den Bildern ab: Scans und Fotos schrumpfen stark, reiner Text kaum.',
        ],
        [
          'Was, wenn sie nicht kleiner wird?',
          'Dann bekommst du deine Datei unverändert zurück, und die Seite sagt es dir.',
        ],
      ],
    },
    'jpg-to-pdf': {
      title: 'JPG in PDF umwandeln',
      description: 'Macht aus JPG-Fotos und Scans PDF-Dateien.',
      lead: 'Mach aus Fotos und Scans PDFs zum Drucken oder Verschicken.',
      steps: [
        'Füge deine Bilder hinzu, oder nimm mit dem Handy ein Foto auf.',
        'Drücke „In PDF umwandeln“.',
        'Lade das PDF herunter.',
      ],
      options: [
        'Wähle Papierformat, Ränder und Ausrichtung.',
        'PNG, HEIC, WebP und andere Bilder gehen auch.',
      ],
      questions: [
        [
          'Ändert sich die Qualität?',
          'Nein. Ein JPG kommt in das PDF, ohne noch einmal komprimiert zu werden.',
        ],
        [
          'Bekomme ich alle Bilder in einem PDF?',
          'Ja. Füge mehrere Bilder hinzu, wähle für alle PDF und drücke „… Bilder zu einem PDF zusammenfügen“.',
        ],
      ],
    },
    'heic-to-jpg': {
      title: 'HEIC in JPG umwandeln',
      description: 'Macht aus HEIC-Fotos vom iPhone JPG-Bilder, die sich überall öffnen lassen.',
      lead: 'Mach aus iPhone-Fotos JPG-Bilder, die sich überall öffnen lassen.',
      steps: [
        'Füge ein oder viele HEIC-Fotos hinzu.',
        'Drücke „In JPG umwandeln“.',
        'Lade sie einzeln oder als ZIP herunter.',
      ],
      options: [
        'Bestimme die Qualität und die Größe in Pixeln.',
        'Behalte oder entferne Kameradaten und Ort (EXIF).',
      ],
      questions: [
        [
          'Wie viele Fotos gehen auf einmal?',
          'Bis zu 2000 pro Auswahl; sie werden nacheinander umgewandelt.',
        ],
        ['Werden Fotos richtig gedreht?', 'Ja, die Ausrichtung der Kamera wird übernommen.'],
      ],
    },
    'mp4-to-mp3': {
      title: 'MP4 in MP3 umwandeln',
      description: 'Holt den Ton eines Videos als MP3-Datei heraus.',
      lead: 'Speichere den Ton eines Videos als MP3-Datei.',
      steps: ['Füge eine MP4-Datei hinzu.', 'Drücke „In MP3 umwandeln“.', 'Lade die Audiodatei herunter.'],
      options: [
        'Schneide einen Teil mit Anfangs- und Endzeit aus.',
        'Bestimme die Audio-Bitrate und die Lautstärke.',
      ],
      questions: [
        ['Gehen auch andere Videos?', 'Ja: MOV, MKV, WebM, AVI und die meisten anderen Videoformate.'],
        [
          'Kann ich den Ton im Original behalten?',
          'Ja. Wähle M4A statt MP3: Hat das Video AAC-Ton, wird er unverändert kopiert.',
        ],
      ],
    },
    'video-to-gif': {
      title: 'Video in GIF umwandeln',
      description: 'Macht aus einem Teil eines Videos ein animiertes GIF.',
      lead: 'Mach aus einem Teil eines Videos ein animiertes GIF.',
      steps: [
        'Füge ein Video hinzu.',
        'Setze in den Optionen Anfang und Ende.',
        'Drücke „In GIF umwandeln“ und lade es herunter.',
      ],
      options: [
        'Bestimme die Breite und die Bildrate.',
        'Endlos oder eine bestimmte Anzahl von Malen wiederholen.',
      ],
      questions: [
        [
          'Warum ist das GIF größer als das Video?',
          'GIF komprimiert schlecht. Eine kleinere Breite, eine niedrigere Bildrate oder ein kürzerer Teil hilft am meisten.',
        ],
        [
          'Gibt es ein besseres Format?',
          'Animiertes WebP ist viel kleiner und läuft in allen aktuellen Browsern.',
        ],
      ],
    },
    'scan-to-text': {
      title: 'Scan in Text umwandeln',
      description:
        'Erkennt den Text eines Scans oder Fotos (OCR): Ein PDF wird durchsuchbar, ein Bild wird zur Textdatei.',
      lead: 'Hol den Text aus einer gescannten Seite oder einem Foto.',
      steps: [
        'Füge ein gescanntes PDF oder ein Bild hinzu, oder nimm ein Foto auf.',
        'Wähle in den Optionen die Sprache des Textes.',
        'Drücke den Knopf unter der Datei und lade das Ergebnis herunter: ein durchsuchbares PDF oder den Text eines Bildes.',
      ],
      options: ['Mehr als 100 Sprachen, auch mehrere zugleich.', 'Wandle nur einige Seiten eines PDFs um.'],
      questions: [
        [
          'Was verbessert die Erkennung?',
          'Ein gerades, scharfes und helles Bild und die richtige Sprache in den Optionen.',
        ],
        [
          'Bekomme ich den Text eines PDFs als Textdatei?',
          'Ja. Lass zuerst den Text erkennen und wandle dann das durchsuchbare PDF in TXT um.',
        ],
      ],
    },
  },
}

export default words
