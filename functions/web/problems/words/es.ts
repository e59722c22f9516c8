import type { ErrorCode } from '../../../../lib/error-catalog.ts'
import { pluralIn } from '../../words/plural.ts'
import type en from './en.ts'

const plural = pluralIn('es')

const reloadAndRetry = 'Vuelva a cargar la página e inténtelo de nuevo.'

const texts: Readonly<Record<ErrorCode, string>> = {
  INVALID_API_KEY: 'La sesión ya no es válida. Vuelva a iniciar sesión.',
  AUTHENTICATION_REQUIRED: 'Inicie sesión para continuar.',
  INSUFFICIENT_PERMISSIONS: 'No hay acceso a este contenido. Inicie sesión con la cuenta a la que pertenece.',
  RATE_LIMITED:
    'Se ha alcanzado un límite de este servicio. Espere un momento e inténtelo de nuevo; la página Uso muestra los límites.',
  INVALID_INPUT: 'Uno de los valores no es válido. Corríjalo e inténtelo de nuevo.',
  INVALID_REQUEST: 'El servicio no entiende estos datos. Corríjalos e inténtelo de nuevo.',
  FILE_TOO_LARGE: 'El archivo es demasiado grande. Elija uno más pequeño o divídalo antes.',
  UNSUPPORTED_FORMAT:
    'No conocemos este tipo de archivo. Compruebe que el nombre tiene la extensión correcta, o guarde el archivo en otro formato.',
  UNSUPPORTED_CONVERSION: 'Este archivo no se puede convertir a ese formato. Elija otro formato.',
  FORMAT_NOT_FOUND: 'Ese formato no existe. Elija uno de la lista.',
  JOB_NOT_FOUND: 'Esta conversión se eliminó o ha caducado. Vuelva a convertir el archivo.',
  TASK_NOT_FOUND: 'Este resultado ya no existe. Vuelva a convertir el archivo.',
  CONVERSION_FAILED:
    'No se pudo convertir el archivo. Pruebe otro formato, o abra el archivo, guárdelo de nuevo y vuelva a intentarlo.',
  CORRUPT_FILE:
    'El archivo está dañado, incompleto o no es del tipo que indica su nombre. Ábralo en el programa que lo creó, guárdelo de nuevo y vuelva a intentarlo.',
  TIMEOUT:
    'La conversión tardó demasiado. Pruebe con un archivo más pequeño, menos páginas o un fragmento más corto.',
  INSUFFICIENT_DISK_SPACE:
    'Al servidor le falta espacio. Inténtelo de nuevo en unos minutos o elimine resultados antiguos.',
  STORAGE_NOT_CONFIGURED:
    'El servidor no puede guardar archivos en este momento. Inténtelo más tarde o avise al responsable de este servicio.',
  NO_FILES: 'No se envió ningún archivo. Elija un archivo e inténtelo de nuevo.',
  FILE_GONE: 'Los archivos caducaron y se eliminaron. Vuelva a elegir el archivo.',
  EXPIRED: 'Este enlace ha caducado. Vuelva a cargar la página para obtener uno nuevo.',
  PDF_ENCRYPTED: 'Este PDF está protegido. Introduzca su contraseña para continuar.',
  DRIVE_NOT_CONFIGURED:
    'Este almacenamiento en la nube no está configurado aquí. Descargue el archivo y añádalo desde el dispositivo.',
  NOT_FOUND: `No se ha encontrado. ${reloadAndRetry}`,
  METHOD_NOT_ALLOWED: `El servicio no admite esta acción. ${reloadAndRetry}`,
  NOT_ACCEPTABLE: `El servicio no admite esta acción. ${reloadAndRetry}`,
  CONFLICT: `Algo ha cambiado mientras tanto. ${reloadAndRetry}`,
  UNSUPPORTED_MEDIA_TYPE: `El servicio no admite esta acción. ${reloadAndRetry}`,
  HEADERS_TOO_LARGE:
    'La solicitud es demasiado larga. Elimine las cookies de esta página e inténtelo de nuevo.',
  IDEMPOTENCY_KEY_REUSED: `Esta solicitud entra en conflicto con una anterior. ${reloadAndRetry}`,
  IDEMPOTENCY_IN_PROGRESS: 'La misma solicitud sigue en curso. Espere un momento e inténtelo de nuevo.',
  UPLOAD_NOT_FOUND: 'La subida ha caducado. Vuelva a elegir el archivo.',
  UPLOAD_INCOMPLETE: 'La subida no terminó. Compruebe la conexión e inténtelo de nuevo.',
  WEBHOOK_NOT_FOUND: 'Este webhook ya no existe. Vuelva a cargar la página.',
  WORKFLOW_NOT_FOUND: 'Este flujo de trabajo ya no existe. Vuelva a cargar la página.',
  API_KEY_NOT_FOUND: 'Esta clave de API ya no existe. Vuelva a cargar la página.',
  URL_NOT_ALLOWED:
    'El servicio no puede usar este enlace. Introduzca un enlace público que empiece por https://.',
  DRIVE_NOT_CONNECTED: 'El almacenamiento no está conectado. Conéctelo e inténtelo de nuevo.',
  INVALID_SIGNATURE: 'Este enlace se modificó o está incompleto. Copie el enlace entero o pida uno nuevo.',
  SERVICE_UNAVAILABLE: 'El servicio está ocupado en este momento. Inténtelo de nuevo en unos segundos.',
  FILE_ENCRYPTED:
    'Este archivo está protegido. Introduzca su contraseña para continuar o guárdelo sin protección.',
  IMPORT_FAILED:
    'No se pudo obtener el archivo de este enlace o almacenamiento. Compruebe que todavía existe y que otras personas pueden abrirlo.',
  EXPORT_FAILED:
    'No se pudo guardar el resultado en su destino. Compruebe la conexión con él o descargue el resultado.',
  INTERNAL_ERROR:
    'Algo ha fallado en el servidor. Inténtelo de nuevo; si sigue fallando, avise al responsable del servicio.',
}

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  texts,
  tooLarge: (size, max) =>
    `El archivo ocupa ${size}, pero el máximo es ${max}. Elija uno más pequeño o divídalo antes.`,
  maxSize: (max) =>
    `El archivo es demasiado grande: el máximo es ${max}. Elija uno más pequeño o divídalo antes.`,
  retryIn: (seconds) =>
    seconds < 90
      ? `Demasiadas solicitudes. Inténtelo de nuevo en ${seconds} s.`
      : `Se ha alcanzado un límite de este servicio. Inténtelo de nuevo en ${Math.ceil(seconds / 60)} min; la página Uso muestra los límites.`,
  wrongPassword: 'Esta contraseña no abre el archivo. Compruébela e inténtelo de nuevo.',
  fieldProblem: (label, value, rule) =>
    value === '' ? `${label}: ${rule}` : `${label}: «${value}» no es un valor válido. ${rule}`,
  reasons: {
    afterEnd: (length) => `El archivo dura ${length}: elija un momento anterior.`,
    noSuchPage: (pages) => `El documento tiene ${plural(pages, 'página', 'páginas')}.`,
    tooManyImages: (max) => `Hay espacio para ${max} imágenes: elija otra disposición o menos imágenes.`,
    endBeforeStart: 'Elija un momento posterior al inicio.',
    allPages: 'Debe quedar al menos una página.',
    noRoom:
      'Los márgenes no dejan espacio en la página: elija unos márgenes más pequeños o un papel más grande.',
    tooManyPixels: 'La imagen tendría demasiados píxeles: elija una resolución más baja.',
    nothingToDo: 'Rellene al menos un campo.',
    eitherOr: 'Solo es posible uno de los dos: deje vacío este campo o el otro.',
    signed:
      'El PDF está firmado. Marque esta opción para modificarlo de todos modos; sus firmas dejarán de ser válidas.',
    noMatch: 'Ningún elemento del archivo comprimido coincide.',
  },
}

export default words
