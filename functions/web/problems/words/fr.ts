import type { ErrorCode } from '../../../../lib/error-catalog.ts'
import { pluralIn } from '../../words/plural.ts'
import type en from './en.ts'

const plural = pluralIn('fr')

const reloadAndRetry = 'Rechargez la page et réessayez.'

const texts: Readonly<Record<ErrorCode, string>> = {
  INVALID_API_KEY: 'Votre session n’est plus valable. Reconnectez-vous.',
  AUTHENTICATION_REQUIRED: 'Connectez-vous pour continuer.',
  INSUFFICIENT_PERMISSIONS: 'Vous n’y avez pas accès. Connectez-vous avec le compte auquel cela appartient.',
  RATE_LIMITED:
    'Vous avez atteint une limite de ce service. Patientez un instant et réessayez ; la page Utilisation montre vos limites.',
  INVALID_INPUT: 'L’une des valeurs n’est pas valable. Corrigez-la et réessayez.',
  INVALID_REQUEST: 'Le service ne comprend pas cette saisie. Corrigez-la et réessayez.',
  FILE_TOO_LARGE: 'Le fichier est trop volumineux. Choisissez un fichier plus petit ou divisez-le d’abord.',
  UNSUPPORTED_FORMAT:
    'Nous ne connaissons pas ce type de fichier. Vérifiez l’extension de son nom, ou enregistrez-le dans un autre format.',
  UNSUPPORTED_CONVERSION: 'Ce fichier ne peut pas être converti dans ce format. Choisissez un autre format.',
  FORMAT_NOT_FOUND: 'Ce format n’existe pas. Choisissez-en un dans la liste.',
  JOB_NOT_FOUND: 'Cette conversion a été supprimée ou a expiré. Convertissez à nouveau le fichier.',
  TASK_NOT_FOUND: 'Ce résultat n’existe plus. Convertissez à nouveau le fichier.',
  CONVERSION_FAILED:
    'Le fichier n’a pas pu être converti. Essayez un autre format, ou ouvrez le fichier, enregistrez-le à nouveau et réessayez.',
  CORRUPT_FILE:
    'Le fichier est endommagé, incomplet, ou n’est pas du type que son nom indique. Ouvrez-le dans le programme qui l’a créé, enregistrez-le à nouveau et réessayez.',
  TIMEOUT:
    'La conversion a duré trop longtemps. Essayez un fichier plus petit, moins de pages ou un extrait plus court.',
  INSUFFICIENT_DISK_SPACE:
    'Le serveur manque de place. Réessayez dans quelques minutes, ou supprimez d’anciens résultats.',
  STORAGE_NOT_CONFIGURED:
    'Le serveur ne peut pas enregistrer de fichiers pour le moment. Réessayez plus tard, ou prévenez l’exploitant de ce service.',
  NO_FILES: 'Aucun fichier n’a été envoyé. Choisissez un fichier et réessayez.',
  FILE_GONE: 'Les fichiers ont expiré et ont été supprimés. Choisissez à nouveau le fichier.',
  EXPIRED: 'Ce lien a expiré. Rechargez la page pour en obtenir un nouveau.',
  PDF_ENCRYPTED: 'Ce PDF est protégé. Saisissez son mot de passe pour continuer.',
  DRIVE_NOT_CONFIGURED:
    'Cet espace de stockage n’est pas configuré ici. Téléchargez le fichier et ajoutez-le depuis votre appareil.',
  NOT_FOUND: `Élément introuvable. ${reloadAndRetry}`,
  METHOD_NOT_ALLOWED: `Le service ne prend pas cela en charge. ${reloadAndRetry}`,
  NOT_ACCEPTABLE: `Le service ne prend pas cela en charge. ${reloadAndRetry}`,
  CONFLICT: `Quelque chose a changé entre-temps. ${reloadAndRetry}`,
  UNSUPPORTED_MEDIA_TYPE: `Le service ne prend pas cela en charge. ${reloadAndRetry}`,
  HEADERS_TOO_LARGE: 'La requête est trop longue. Supprimez les cookies de cette page et réessayez.',
  IDEMPOTENCY_KEY_REUSED: `Cette requête est en conflit avec une requête précédente. ${reloadAndRetry}`,
  IDEMPOTENCY_IN_PROGRESS: 'La même requête est encore en cours. Patientez un instant et réessayez.',
  UPLOAD_NOT_FOUND: 'L’envoi a expiré. Choisissez à nouveau le fichier.',
  UPLOAD_INCOMPLETE: 'L’envoi ne s’est pas terminé. Vérifiez votre connexion et réessayez.',
  WEBHOOK_NOT_FOUND: 'Ce webhook n’existe plus. Rechargez la page.',
  WORKFLOW_NOT_FOUND: 'Ce workflow n’existe plus. Rechargez la page.',
  API_KEY_NOT_FOUND: 'Cette clé d’API n’existe plus. Rechargez la page.',
  URL_NOT_ALLOWED:
    'Le service ne peut pas utiliser ce lien. Saisissez un lien public qui commence par https://.',
  DRIVE_NOT_CONNECTED: 'L’espace de stockage n’est pas connecté. Connectez-le et réessayez.',
  INVALID_SIGNATURE:
    'Ce lien a été modifié ou est incomplet. Copiez le lien entier, ou demandez-en un nouveau.',
  SERVICE_UNAVAILABLE: 'Le service est occupé pour le moment. Réessayez dans quelques secondes.',
  FILE_ENCRYPTED:
    'Ce fichier est protégé. Saisissez son mot de passe pour continuer, ou enregistrez-le sans protection.',
  IMPORT_FAILED:
    'Le fichier n’a pas pu être récupéré depuis ce lien ou cet espace de stockage. Vérifiez qu’il existe encore et qu’il est accessible.',
  EXPORT_FAILED:
    'Le résultat n’a pas pu être enregistré à sa destination. Vérifiez la connexion, ou téléchargez le résultat.',
  INTERNAL_ERROR:
    'Une erreur s’est produite sur le serveur. Réessayez ; si cela persiste, prévenez l’exploitant.',
}

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  texts,
  tooLarge: (size, max) =>
    `Le fichier fait ${size}, mais le maximum est de ${max}. Choisissez un fichier plus petit ou divisez-le d’abord.`,
  maxSize: (max) =>
    `Le fichier est trop volumineux : le maximum est de ${max}. Choisissez un fichier plus petit ou divisez-le d’abord.`,
  retryIn: (seconds) =>
    seconds < 90
      ? `Trop de requêtes. Réessayez dans ${seconds} s.`
      : `Vous avez atteint une limite de ce service. Réessayez dans ${Math.ceil(seconds / 60)} min ; la page Utilisation montre vos limites.`,
  wrongPassword: 'Ce mot de passe n’ouvre pas le fichier. Vérifiez-le et réessayez.',
  fieldProblem: (label, value, rule) =>
    value === '' ? `${label} : ${rule}` : `${label} : « ${value} » n’est pas une valeur valide. ${rule}`,
  reasons: {
    afterEnd: (length) => `Le fichier dure ${length} : choisissez un moment antérieur.`,
    noSuchPage: (pages) => `Le document compte ${plural(pages, 'page', 'pages')}.`,
    tooManyImages: (max) =>
      `Il y a de la place pour ${max} images : choisissez une autre disposition ou moins d’images.`,
    endBeforeStart: 'Choisissez un moment postérieur au début.',
    allPages: 'Il doit rester au moins une page.',
    noRoom:
      'Les marges ne laissent pas de place sur la page : réduisez-les ou choisissez un format de papier plus grand.',
    tooManyPixels: 'L’image aurait trop de pixels : choisissez une résolution plus basse.',
    nothingToDo: 'Remplissez au moins un champ.',
    eitherOr: 'Un seul des deux est possible : videz ce champ ou l’autre.',
    signed:
      'Le PDF est signé. Cochez cette option pour le modifier quand même ; ses signatures ne seront plus valables.',
    noMatch: 'Aucun fichier de l’archive ne correspond.',
  },
}

export default words
