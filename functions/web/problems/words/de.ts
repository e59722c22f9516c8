import { pluralIn } from '../../words/plural.ts'
import type en from './en.ts'

const plural = pluralIn('de')

const reloadAndRetry = 'Lade die Seite neu und versuche es noch einmal.'

const words: typeof en = {
  texts: {
    INVALID_API_KEY: 'Deine Sitzung ist nicht mehr gültig. Melde dich neu an.',
    AUTHENTICATION_REQUIRED: 'Melde dich an, um fortzufahren.',
    INSUFFICIENT_PERMISSIONS: 'Du hast keinen Zugriff darauf. Melde dich mit dem Konto an, dem es gehört.',
    RATE_LIMITED:
      'Du hast ein Limit dieses Dienstes erreicht. Warte eine Minute und versuche es noch einmal. Unter „Verbrauch“ stehen deine Limits.',
    INVALID_INPUT: 'Einer der Werte ist ungültig. Korrigiere ihn und versuche es noch einmal.',
    INVALID_REQUEST: 'Der Dienst versteht diese Eingabe nicht. Korrigiere sie und versuche es noch einmal.',
    FILE_TOO_LARGE: 'Die Datei ist zu groß. Wähle eine kleinere oder teile sie vorher.',
    UNSUPPORTED_FORMAT:
      'Diesen Dateityp kennen wir nicht. Prüfe die Endung des Dateinamens oder speichere die Datei in einem anderen Format.',
    UNSUPPORTED_CONVERSION:
      'Diese Datei lässt sich nicht in dieses Format umwandeln. Wähle ein anderes Format.',
    FORMAT_NOT_FOUND: 'Dieses Format gibt es nicht. Wähle eines aus der Liste.',
    JOB_NOT_FOUND: 'Diese Umwandlung wurde gelöscht oder ist abgelaufen. Wandle die Datei noch einmal um.',
    TASK_NOT_FOUND: 'Dieses Ergebnis gibt es nicht mehr. Wandle die Datei noch einmal um.',
    CONVERSION_FAILED:
      'Die Datei konnte nicht umgewandelt werden. Versuche ein anderes Format, oder öffne die Datei, speichere sie neu und versuche es noch einmal.',
    CORRUPT_FILE:
      'Die Datei ist beschädigt, unvollständig oder von einem anderen Typ, als ihr Name sagt. Öffne sie in dem Programm, mit dem sie erstellt wurde, speichere sie neu und versuche es noch einmal.',
    TIMEOUT:
      'Die Umwandlung hat zu lange gedauert. Versuche es mit einer kleineren Datei, weniger Seiten oder einem kürzeren Abschnitt.',
    INSUFFICIENT_DISK_SPACE:
      'Auf dem Server ist wenig Platz. Versuche es in ein paar Minuten noch einmal oder lösche alte Ergebnisse.',
    STORAGE_NOT_CONFIGURED:
      'Der Server kann gerade keine Dateien speichern. Versuche es später noch einmal oder sag dem Betreiber Bescheid.',
    NO_FILES: 'Es wurde keine Datei gesendet. Wähle eine Datei und versuche es noch einmal.',
    FILE_GONE: 'Die Dateien sind abgelaufen und gelöscht. Wähle die Datei noch einmal aus.',
    EXPIRED: 'Dieser Link ist abgelaufen. Lade die Seite neu, um einen neuen zu bekommen.',
    PDF_ENCRYPTED: 'Dieses PDF ist geschützt. Gib sein Passwort ein, um fortzufahren.',
    DRIVE_NOT_CONFIGURED:
      'Dieser Cloud-Speicher ist hier nicht eingerichtet. Lade die Datei dort herunter und füge sie von deinem Gerät hinzu.',
    NOT_FOUND: `Das wurde nicht gefunden. ${reloadAndRetry}`,
    METHOD_NOT_ALLOWED: `Das unterstützt der Dienst nicht. ${reloadAndRetry}`,
    NOT_ACCEPTABLE: `Das unterstützt der Dienst nicht. ${reloadAndRetry}`,
    CONFLICT: `Inzwischen hat sich etwas geändert. ${reloadAndRetry}`,
    UNSUPPORTED_MEDIA_TYPE: `Das unterstützt der Dienst nicht. ${reloadAndRetry}`,
    HEADERS_TOO_LARGE:
      'Die Anfrage ist zu lang. Lösche die Cookies dieser Seite und versuche es noch einmal.',
    IDEMPOTENCY_KEY_REUSED: `Diese Anfrage steht im Widerspruch zu einer früheren. ${reloadAndRetry}`,
    IDEMPOTENCY_IN_PROGRESS: 'Dieselbe Anfrage läuft noch. Warte einen Moment und versuche es noch einmal.',
    UPLOAD_NOT_FOUND: 'Die hochgeladene Datei ist abgelaufen. Wähle die Datei noch einmal aus.',
    UPLOAD_INCOMPLETE:
      'Das Hochladen wurde nicht beendet. Prüfe deine Verbindung und versuche es noch einmal.',
    WEBHOOK_NOT_FOUND: 'Diesen Webhook gibt es nicht mehr. Lade die Seite neu.',
    WORKFLOW_NOT_FOUND: 'Diesen Workflow gibt es nicht mehr. Lade die Seite neu.',
    API_KEY_NOT_FOUND: 'Diesen API-Schlüssel gibt es nicht mehr. Lade die Seite neu.',
    URL_NOT_ALLOWED:
      'Diesen Link kann der Dienst nicht verwenden. Gib einen öffentlichen Link ein, der mit https:// beginnt.',
    DRIVE_NOT_CONNECTED: 'Der Cloud-Speicher ist nicht verbunden. Verbinde ihn und versuche es noch einmal.',
    INVALID_SIGNATURE:
      'Dieser Link wurde verändert oder ist unvollständig. Kopiere den ganzen Link oder lass dir einen neuen geben.',
    SERVICE_UNAVAILABLE: 'Der Dienst ist gerade ausgelastet. Versuche es in ein paar Sekunden noch einmal.',
    FILE_ENCRYPTED:
      'Diese Datei ist geschützt. Gib ihr Passwort ein, um fortzufahren, oder speichere sie ohne Schutz.',
    IMPORT_FAILED:
      'Die Datei konnte von diesem Link oder Cloud-Speicher nicht geladen werden. Prüfe, ob es sie noch gibt und ob andere sie öffnen können.',
    EXPORT_FAILED:
      'Das Ergebnis konnte nicht am Ziel gespeichert werden. Prüfe die Verbindung dorthin oder lade das Ergebnis herunter.',
    INTERNAL_ERROR:
      'Auf dem Server ist etwas schiefgelaufen. Versuche es noch einmal; wenn es nicht hilft, sag dem Betreiber Bescheid.',
  },
  tooLarge: (size, max) =>
    `Die Datei hat ${size}, möglich sind höchstens ${max}. Wähle eine kleinere oder teile sie vorher.`,
  maxSize: (max) =>
    `Die Datei ist zu groß: Möglich sind höchstens ${max}. Wähle eine kleinere oder teile sie vorher.`,
  retryIn: (seconds) =>
    seconds < 90
      ? `Zu viele Anfragen. Versuche es in ${seconds} s noch einmal.`
      : `Du hast ein Limit dieses Dienstes erreicht. Versuche es in ${Math.ceil(seconds / 60)} min noch einmal. Unter „Verbrauch“ stehen deine Limits.`,
  wrongPassword: 'Dieses Passwort öffnet die Datei nicht. Prüfe es und versuche es noch einmal.',
  fieldProblem: (label, value, rule) =>
    value === '' ? `${label}: ${rule}` : `${label}: „${value}“ geht nicht. ${rule}`,
  reasons: {
    afterEnd: (length) => `Die Datei ist ${length} lang: Wähle einen früheren Zeitpunkt.`,
    noSuchPage: (pages) => `Das Dokument hat ${plural(pages, 'Seite', 'Seiten')}.`,
    tooManyImages: (max) =>
      `Es ist Platz für ${max} Bilder: Wähle eine andere Anordnung oder weniger Bilder.`,
    endBeforeStart: 'Wähle einen Zeitpunkt nach dem Anfang.',
    allPages: 'Mindestens eine Seite muss übrig bleiben.',
    noRoom:
      'Die Ränder lassen auf der Seite keinen Platz: Wähle kleinere Ränder oder ein größeres Papierformat.',
    tooManyPixels: 'Das Bild hätte zu viele Pixel: Wähle eine niedrigere Auflösung.',
    nothingToDo: 'Fülle mindestens ein Feld aus.',
    eitherOr: 'Nur eins von beiden ist möglich: Leere dieses Feld oder das andere.',
    signed:
      'Das PDF ist signiert. Aktiviere diese Option, um es trotzdem zu ändern; seine Signaturen werden dann ungültig.',
    noMatch: 'Keine Datei im Archiv passt dazu.',
  },
}

export default words
