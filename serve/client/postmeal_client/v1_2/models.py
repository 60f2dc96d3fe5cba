# Written by serve/client/generate.py; do not edit.

from __future__ import annotations

from datetime import date
from typing import Literal
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict


class AlternativeResponse(BaseModel):
    """An alternative food with its recommended amount."""

    id: str
    name: str
    brand_name: str | None
    """Brand; null for generic foods."""
    nutrients: NutrientTable
    """Nutrients in the recommended amount."""
    servings: list[ServingResponse]
    """The recommended amount, about as much as the default serving of the replaced food; `quantity` is in the serving's unit."""
    predicted_peak_mg_dl: float | None = None
    """Predicted glucose peak in mg/dL after eating only the recommended amount at noon; present only with `user_profile`."""


class AlternativesRequest(BaseModel):
    """The diet that alternatives must fit."""

    model_config = ConfigDict(
        extra="allow",
    )
    diet_restrictions: (
        list[
            Literal[
                "gluten",
                "lactose",
                "yeast",
                "tree_nuts",
                "peanuts",
                "dairy",
                "eggs",
                "sulfites",
                "soy",
                "wheat",
                "shellfish",
                "fish",
                "mushrooms",
                "sesame",
                "msg",
                "caffeine",
                "fodmaps",
            ]
        ]
        | None
    ) = None
    """Ingredients that alternatives must not contain."""
    dietary_restrictions: (
        list[
            Literal[
                "gluten",
                "lactose",
                "yeast",
                "tree_nuts",
                "peanuts",
                "dairy",
                "eggs",
                "sulfites",
                "soy",
                "wheat",
                "shellfish",
                "fish",
                "mushrooms",
                "sesame",
                "msg",
                "caffeine",
                "fodmaps",
            ]
        ]
        | None
    ) = None
    """Alias of `diet_restrictions`."""
    diet_preferences: (
        list[
            Literal[
                "vegetarian",
                "vegan",
                "keto",
                "paleo",
                "pescatarian",
                "low_carbohydrate",
                "high_protein",
                "kosher",
                "halal",
            ]
        ]
        | None
    ) = None
    """Diets that alternatives must fit."""
    dietary_preferences: (
        list[
            Literal[
                "vegetarian",
                "vegan",
                "keto",
                "paleo",
                "pescatarian",
                "low_carbohydrate",
                "high_protein",
                "kosher",
                "halal",
            ]
        ]
        | None
    ) = None
    """Alias of `diet_preferences`."""
    user_profile: UserProfile | None = None
    """Profile of the end user. With it, foods with a lower predicted glucose peak rank higher, and each alternative has a `predicted_peak_mg_dl`."""


class AlternativesResponse(BaseModel):
    """Alternative foods, best match first; empty if no food is suitable."""

    alternatives: list[AlternativeResponse]


class Amount(BaseModel):
    """An amount and its unit."""

    value: float
    unit: str


class CgmDatum(BaseModel):
    timestamp: str
    value: float
    """mg/dL."""


class ChancesResponse(BaseModel):
    """Probabilities from 0 to 1 for the two hours from the start of the meal."""

    impact: ImpactChances
    peak_140: float
    """Glucose reaches 140 mg/dL."""
    peak_180: float
    """Glucose reaches 180 mg/dL."""
    rise_30: float
    """Glucose rises by 30 mg/dL or more."""
    rise_50: float
    """Glucose rises by 50 mg/dL or more."""


class Chart(BaseModel):
    """Usual glucose range of the end user in mg/dL, extended to include the whole curve."""

    min: int
    """Lower bound in mg/dL."""
    max: int
    """Upper bound in mg/dL."""


class ChatChoice(BaseModel):
    """The answer as the only choice of the completion."""

    index: Literal[0]
    message: ChatMessageResponse
    finish_reason: Literal["stop"]


class ChatCompletion(BaseModel):
    """A chat completion of OpenAI's API, with citations."""

    id: str
    object: Literal["chat.completion"]
    created: int
    """Time of the answer in seconds since 1970-01-01 UTC."""
    model: Literal["service"]
    choices: list[ChatChoice]
    usage: ChatUsage
    citations: list[CitationResponse]
    """The cited articles; `[1]` in the answer is the first one."""


class ChatError(BaseModel):
    """An error in the format of OpenAI's API."""

    error: ChatErrorDetail


class ChatErrorDetail(BaseModel):
    """The details of an error in a chat request."""

    message: str
    """What is wrong, and what is accepted."""
    type: Literal[
        "invalid_request_error",
        "authentication_error",
        "permission_error",
        "not_found_error",
        "rate_limit_error",
        "api_error",
    ]
    """Type of the error, which depends on the status."""
    param: str | None
    """Path of the invalid field, such as `messages[0].role`; null if there is none."""
    code: str
    """Machine-readable error code."""


class ChatMessage(BaseModel):
    """A message of the conversation."""

    model_config = ConfigDict(
        extra="allow",
    )
    role: Literal["system", "user", "assistant"]
    """Author of the message. System messages precede all others; the last message is the user's."""
    content: str
    """Text, with at most 2000 characters in a user message. The last message must not be blank. A ligature counts as all its letters."""


class ChatMessageResponse(BaseModel):
    """The message that contains the answer."""

    role: Literal["assistant"]
    content: str
    """Sentences, each followed by its source: `[our model]`, or the number of a citation such as `[1]`; then the references."""


class ChatRequest(BaseModel):
    """A conversation. The service does not remember earlier requests."""

    model_config = ConfigDict(
        extra="allow",
    )
    model: Literal["service"]
    """Name of the model."""
    messages: list[ChatMessage]
    """The whole conversation, with at most 100000 characters in total."""
    stream: Literal[False] | None = None
    """Streaming is not supported. Default: false."""


class ChatUsage(BaseModel):
    """Numbers of words (separated by white space), which are counted instead of tokens."""

    prompt_tokens: int
    """Number of words in all messages of the request."""
    completion_tokens: int
    """Number of words in the answer."""
    total_tokens: int
    """Sum of the two numbers."""


class CitationResponse(BaseModel):
    """Bibliographic data of an article; a value that the source does not state is null."""

    title: str
    """Title, in brackets if it is a translation."""
    authors: list[str]
    """Surname and initials of each author, or a group."""
    journal: str | None
    publisher: str | None
    year: int | None
    published_date: date | None
    """First day of publication; null unless year, month and day are known."""
    doi: str | None
    pmid: str | None
    pmcid: str | None
    url: str | None
    type: Literal["journal_article", "guideline"]
    language: Literal["en"]


class ClientTokenRequest(BaseModel):
    """The end user, lifetime and scopes of a new client token."""

    model_config = ConfigDict(
        extra="allow",
    )
    end_user_id: str
    """Your ID for the end user."""
    ttl_seconds: int | None = None
    """Lifetime of the token in seconds. Default: 1800."""
    scopes: (
        list[
            Literal[
                "foods:read",
                "restaurants:read",
                "food_logs:read",
                "food_logs:write",
                "food_scans:write",
                "glucose:read",
            ]
        ]
        | None
    ) = None
    """Scopes to grant. Default: ["foods:read", "restaurants:read", "food_logs:read", "food_logs:write", "food_scans:write", "glucose:read"]."""


class ClientTokenResponse(BaseModel):
    """A client token."""

    token: str
    """The token; it cannot be retrieved again."""
    expires_in: int
    """Lifetime in seconds."""
    expires_at: AwareDatetime
    """When the token expires."""
    end_user_id: str
    """The end user the token is bound to."""
    scopes: list[
        Literal[
            "foods:read",
            "restaurants:read",
            "food_logs:read",
            "food_logs:write",
            "food_scans:write",
            "glucose:read",
        ]
    ]
    """The scopes that were granted."""


class ConsumedFood(BaseModel):
    """A food, one of its servings, a quantity and the time at which the food was eaten."""

    model_config = ConfigDict(
        extra="allow",
    )
    id: str | int | None = None
    """ID of the food."""
    food_id: str | int | None = None
    """Alias of `id`."""
    serving: ServingChoice | None = None
    serving_id: str | int | None = None
    """Alias of `serving.id`."""
    quantity: float | None = None
    """Amount in the serving's unit: 150 means 150 g if the unit is g."""
    timestamp: str
    """When the food was eaten, in ISO 8601. `Z` or an offset is required unless a time zone is given."""


class ConsumedServing(BaseModel):
    """The amount that was eaten."""

    id: str
    """ID of the serving."""
    quantity: float
    """Amount in the serving's unit."""


class Contribution(BaseModel):
    """How much one food contributes to the predicted peak."""

    index: int
    """Position of the food in `foods`, counted from 0."""
    id: str
    """ID of the food."""
    name: str
    peak_mg_dl: float
    """Contribution to the peak of blood glucose predicted by the population model, in mg/dL; negative if the food lowers it."""


class CorrectionRequest(BaseModel):
    """A scan and a description of what to change in it."""

    model_config = ConfigDict(
        extra="allow",
    )
    detections: list[SentDetection] | None = None
    """Detections of the scan, as they were returned. Required."""
    analysis: list[SentDetection] | None = None
    """Alias of `detections`."""
    user_input: str | None = None
    """The change in plain English, such as `I ate half of the rice`. Required."""
    instruction: str | None = None
    """Alias of `user_input`."""
    meal_name: str | None = None
    """Name of the meal, which is returned unchanged."""


class CreditBalance(BaseModel):
    """Credit balance of the current calendar month in UTC."""

    plan: str
    """Name of the account's plan."""
    period_start: date
    """First day of the month."""
    period_end: date
    """Last day of the month."""
    resets_at: AwareDatetime
    """When the monthly request and credit allowances reset."""
    included_credits: int | None
    """Credits in the month's allowance; null if unlimited."""
    used_credits: int
    """Credits used this month."""
    remaining_credits: int | None
    """Credits left; null if unlimited."""


class CurrentGlucose(BaseModel):
    """Glucose at the start of the meal, 20 to 600 mg/dL."""

    model_config = ConfigDict(
        extra="allow",
    )
    value: float
    unit: Literal["mg/dL", "mmol/L"]
    measured_at: str | None = None
    """When it was measured, in ISO 8601. Defaults to the start of the meal. The curve starts at a reading that is at most 15 minutes old; an older one counts less, and not at all after 60 minutes."""


class DetectedFoodResponse(BaseModel):
    """A food with the nutrients of the amount that was eaten."""

    id: str
    name: str
    brand_name: str | None
    """Brand; null for generic foods."""
    nutrients: NutrientTable
    """Nutrients in the amount that was eaten."""
    servings: list[ScannedServingResponse]
    """The amount that was eaten."""


class DetectionResponse(BaseModel):
    """A recognized food."""

    confidence_score: Literal["high", "medium", "low"]
    """`high`, `medium` or `low`; the amount may be uncertain in any case."""
    food: DetectedFoodResponse


class EnergyTable(BaseModel):
    """Energy of the default serving; empty if unknown."""

    calories: Amount | None = None


class Error(BaseModel):
    """The body of an error response."""

    code: str
    """Machine-readable error code."""
    message: str
    """What is wrong. For an invalid parameter or field, its name and what it accepts."""


class FastingGlucose(BaseModel):
    """Fasting plasma glucose, 40 to 500 mg/dL."""

    model_config = ConfigDict(
        extra="allow",
    )
    value: float
    unit: Literal["mg/dL", "mmol/L"]


class FoodItem(BaseModel):
    """
    A food, one of its servings and a quantity.

    Three forms are accepted: `{id, serving: {id}, quantity}`, `{id, serving: {id, quantity}}` and
    `{food_id, serving_id, quantity}`.
    """

    model_config = ConfigDict(
        extra="allow",
    )
    id: str | int | None = None
    """ID of the food."""
    food_id: str | int | None = None
    """Alias of `id`."""
    serving: ServingChoice | None = None
    serving_id: str | int | None = None
    """Alias of `serving.id`."""
    quantity: float | None = None
    """Amount in the serving's unit: 150 means 150 g if the unit is g."""


class FoodLogChange(BaseModel):
    """The fields to change; omitted fields keep their values."""

    model_config = ConfigDict(
        extra="allow",
    )
    foods: list[FoodItem] | None = None
    """Foods that replace all foods of the log."""
    timestamp_utc: str | None = None
    """When the meal was eaten: ISO 8601 with `Z` or an offset."""
    eaten_at: str | None = None
    """Alias of `timestamp_utc`."""
    name: str | None = None
    """Name of the meal; null removes it."""


class FoodLogPage(BaseModel):
    """Food logs, ordered by time and then by ID."""

    items: list[FoodLogResponse]
    next_cursor: str | None = None
    """`cursor` of the next page; present only with `limit` and if more logs follow."""


class FoodLogRequest(BaseModel):
    """The foods that were eaten, and when."""

    model_config = ConfigDict(
        extra="allow",
    )
    foods: list[FoodItem]
    """Foods that were eaten."""
    timestamp_utc: str | None = None
    """When the meal was eaten: ISO 8601 with `Z` or an offset. Defaults to the current time."""
    eaten_at: str | None = None
    """Alias of `timestamp_utc`."""
    name: str | None = None
    """Name of the meal, such as Breakfast."""


class FoodLogResponse(BaseModel):
    """A food log, which contains the foods that an end user ate at one time."""

    id: UUID
    """ID of the food log."""
    foods: list[LoggedFoodResponse]
    timestamp_utc: AwareDatetime
    """When the meal was eaten, in UTC with milliseconds."""
    name: str | None
    """Name of the meal; null if it has none."""


class FoodPage(BaseModel):
    """Foods, best match first."""

    items: list[FoodResponse]
    matched_without: list[str] | None = None
    """Words of the query that were dropped to find the foods, as typed; omitted if there are none."""


class FoodResponse(BaseModel):
    """A food with the nutrients of its default serving."""

    id: str
    type: Literal["generic", "branded", "recipe"]
    name: str
    """Short everyday name of the food."""
    description: str
    """Full name of the food as published, for display."""
    brand_name: str | None
    """Brand; null for generic foods."""
    nutrients: NutrientTable
    """Nutrients in the default serving."""
    glycemic_index: float | None
    """Glycemic index (glucose = 100); null if unknown."""
    glycemic_load: float | None
    """Glycemic load of the default serving; null if unknown."""
    image_url: str | None
    barcode: str | None
    """Barcode as published, for display. It may differ from the scanned digits in leading zeros."""
    servings: list[ServingResponse]


class Hba1c(BaseModel):
    """HbA1c, 3 to 20% (NGSP)."""

    model_config = ConfigDict(
        extra="allow",
    )
    value: float
    unit: Literal["%", "mmol/mol"]


class Height(BaseModel):
    """Height, 50 to 272 cm."""

    model_config = ConfigDict(
        extra="allow",
    )
    value: float
    unit: Literal["in", "cm"]


class ImpactChances(BaseModel):
    """Probability of each impact score; the probabilities add up to 1."""

    low: float
    medium: float
    high: float


class InputResponse(BaseModel):
    """A field of the request, and whether it can change the curve."""

    name: str
    """Name of the field."""
    used: bool
    """Whether the field can change the curve."""
    hours: float | None = None
    """Usable hours of CGM readings; present only for readings."""
    weight: float | None = None
    """Weight, 0 to 1, of the mean of the readings in the level of the end user; present only for readings."""
    n_meals: int | None = None
    """Number of meals with readings that a model was fitted to; present only for foods eaten during the period of the readings."""


class LiteratureRequest(BaseModel):
    """A question with options for the response. In optional fields, null means the default."""

    model_config = ConfigDict(
        extra="allow",
    )
    query: str
    """Question or keywords in English, or the PMID or DOI of an article."""
    limit: int | None = None
    """Maximum number of passages. Default: 10."""
    include_summary: bool | None = None
    """Whether to summarize the passages. Default: true."""
    published_after: date | None = None
    """Earliest publication date. An article for which only the year is known is included if any day of that year would be."""
    published_before: date | None = None
    """Latest publication date. An article for which only the year is known is included if any day of that year would be."""
    types: list[Literal["journal_article", "guideline"]] | None = None
    """Types of articles. Defaults to all types."""


class LiteratureResponse(BaseModel):
    """Passages, best match first, and their summary."""

    query: str
    """The query of the request."""
    passages: list[PassageResponse]
    summary: str | None
    """Sentences of the passages, each followed by the rank of its passage, such as `[2]`."""
    summary_status: Literal["completed", "no_passages", "not_requested", "failed"]
    """`completed`, or the reason why there is no summary."""


class LoggedFoodResponse(BaseModel):
    """A food as it was when it was logged."""

    id: str
    name: str
    brand_name: str | None
    """Brand; null for generic foods."""
    image_url: str | None
    glycemic_index: float | None
    """Glycemic index (glucose = 100); null if unknown."""
    glycemic_load: float | None
    """Glycemic load of the amount eaten; null if unknown."""
    nutrients: NutrientTable
    """Nutrients in the amount eaten."""
    consumed_serving: ConsumedServing
    serving_details: ServingDetails


class MenuItemPage(BaseModel):
    """Dishes, nearest restaurant first."""

    items: list[MenuItemResponse]


class MenuItemResponse(BaseModel):
    """A dish of a restaurant, as a food with one serving."""

    type: Literal["menu_item"]
    id: str
    """ID of the food."""
    name: str
    restaurant_name: str
    is_chain: bool
    """Whether the restaurant belongs to a chain."""
    nutrients: NutrientTable
    """Nutrients in the serving."""
    glycemic_index: float | None
    glycemic_load: float | None
    image_url: str | None
    distance_meters: float
    """Great-circle distance in meters."""
    servings: list[ServingResponse]


class MenuPage(BaseModel):
    """Foods on a menu, ordered by name, each with one serving."""

    items: list[FoodResponse]


class NutrientTable(BaseModel):
    """Amounts of nutrients; unknown ones are omitted."""

    calories: Amount | None = None
    """Amount in kcal."""
    protein: Amount | None = None
    """Amount in g."""
    carbohydrates: Amount | None = None
    """Amount in g."""
    total_fat: Amount | None = None
    """Amount in g."""
    trans_fat: Amount | None = None
    """Amount in g."""
    saturated_fat: Amount | None = None
    """Amount in g."""
    fiber: Amount | None = None
    """Amount in g."""
    total_sugars: Amount | None = None
    """Amount in g."""
    added_sugars: Amount | None = None
    """Amount in g."""
    cholesterol: Amount | None = None
    """Amount in mg."""
    calcium: Amount | None = None
    """Amount in mg."""
    iron: Amount | None = None
    """Amount in mg."""
    potassium: Amount | None = None
    """Amount in mg."""
    sodium: Amount | None = None
    """Amount in mg."""
    vitamin_d: Amount | None = None
    """Amount in IU."""
    net_carbohydrates: Amount | None = None
    """Amount in g."""


class PassageResponse(BaseModel):
    """Sentences of an article, with their citation."""

    rank: int
    """Position in the list, from 1."""
    id: str
    """ID of the article in the index."""
    text: str
    """One to three sentences of the article. A text that starts with `Summary of` is not a quotation."""
    score: float
    """Score with five significant digits. It never increases from one rank to the next. Scores from different searches cannot be compared."""
    citation: CitationResponse


class PhotoScanRequest(BaseModel):
    """A photo of a meal."""

    model_config = ConfigDict(
        extra="allow",
    )
    image: str
    """The photo: an `https` or `http` URL that anyone can fetch, or a data URI in base64. JPEG, PNG, WEBP or a GIF that is not animated, with at most 40 million pixels (WEBP: 12 million) and, at a URL, at most 10 MiB."""


class Point(BaseModel):
    """Predicted glucose at one time after the start of the meal, in mg/dL."""

    minutes: int
    """Minutes since the start of the meal."""
    value: float
    """Predicted glucose in mg/dL."""
    lower: float | None = None
    """Lower bound of the 90% band in mg/dL; present only with `include=band`."""
    upper: float | None = None
    """Upper bound of the 90% band in mg/dL; present only with `include=band`."""


class PredictionRequest(BaseModel):
    """The end user's profile, the meal and, optionally, a CGM history."""

    model_config = ConfigDict(
        extra="allow",
    )
    user_profile: UserProfile
    """Profile of the end user; also accepted as `profile`."""
    foods: list[FoodItem]
    """Foods of the meal."""
    start_time: str | None = None
    """Start of the meal in ISO 8601. `Z` or an offset is required unless a time zone is given. Defaults to the current time. The offset is taken for the local time of the end user, except `Z` and `+00:00`, which do not state it."""
    timezone: str | None = None
    """IANA time zone of the end user, such as America/New_York. The hours of the day affect the prediction, so send it if any timestamp is in UTC."""
    cgm_data: list[CgmDatum] | None = None
    """CGM readings from before the meal, in any order, at most 100,000. Requires `consumed_foods`. At least 5 days must be complete, with readings in 48 quarter-hours and food at 2 different times."""
    consumed_foods: list[ConsumedFood] | None = None
    """Foods eaten during the period of `cgm_data`. Requires `cgm_data`."""
    previous_meals: list[ConsumedFood] | None = None
    """Foods eaten within the 12 hours before `start_time`, in any order. Foods within 15 minutes of each other are one meal. Foods in `consumed_foods` and `recent_meals` are previous meals as well. The latest of all previous meals is used."""
    recent_cgm: list[RecentCgmItem] | None = None
    """CGM readings of the 14 days before the meal, in any order, at most 100,000. No food log is needed. From 12 usable hours on, they tell the level and the gain of the end user; from 24 hours on, with full weight. If the last reading is at most 15 minutes old, the curve starts at it; an older one counts less, and not at all after 60 minutes. Readings after the start of the meal are ignored. Must not be combined with `cgm_data`."""
    recent_meals: list[ConsumedFood] | None = None
    """Foods eaten during the period of `recent_cgm`, any number. Meals that are followed by two hours of readings personalize the rise. Must not be combined with `cgm_data`."""
    current_glucose: CurrentGlucose | None = None
    """Reading at which the curve starts, before the last one of a history."""
    sensor: str | None = None
    """Sensor of all readings, whose readings are predicted, such as `Dexcom G6` or `FreeStyle Libre 2`. Without it, readings are treated as blood glucose."""
    hba1c: Hba1c | None = None
    """HbA1c of the end user."""
    fasting_glucose: FastingGlucose | None = None
    """Fasting plasma glucose of the end user."""


class PredictionResponse(BaseModel):
    """The predicted glucose curve over the two hours from the start of the meal."""

    points: list[Point]
    """Nine points, 15 minutes apart."""
    impact_score: Literal["low", "medium", "high"]
    """How strongly the meal is predicted to raise glucose."""
    chart: Chart
    unit: Literal["mg/dL"]
    """Unit of the points and of the chart."""
    inputs_used: list[InputResponse]
    """The fields that tell something about the end user, and whether they can change the curve. Age, sex, height, weight, activity level and medicines never do."""
    warnings: list[WarningResponse]
    """What was not used and what to send instead; empty if there is nothing to say."""
    nutrients: NutrientTable | None = None
    """Nutrients of the meal; present only with `include=nutrients`."""
    contributions: list[Contribution] | None = None
    """Contribution of each food to the peak, in the order of `foods`; present only with `include=contributions`."""
    chances: ChancesResponse | None = None
    """How likely high peaks and large rises are; present only with `include=chances`."""
    notes: list[str] | None = None
    """Caveats of the prediction, such as an estimated nutrient; present only with `include=notes`."""


class ReadScanResponse(BaseModel):
    """The foods of a meal that was described or corrected in words."""

    meal_name: str | None
    """Name of the meal; null if it has none."""
    total_nutrients: NutrientTable
    """Sum over the detections; a nutrient that is unknown in one of them is omitted."""
    detections: list[DetectionResponse]
    """Empty if no food was recognized."""
    unread: list[str]
    """Words that were not understood; empty if everything was. Show them to the user: the meal may contain more than the detections."""


class RecentCgmItem(BaseModel):
    timestamp: str
    value: float
    """mg/dL."""


class RestaurantPage(BaseModel):
    """Restaurants, nearest first."""

    items: list[RestaurantResponse]


class RestaurantResponse(BaseModel):
    """A restaurant and its distance from the location of the search."""

    type: Literal["restaurant"]
    id: str
    name: str
    is_chain: bool
    """Whether the restaurant belongs to a chain."""
    distance_meters: float
    """Great-circle distance in meters."""
    city: str | None
    address1: str | None
    """Street and house number; null if unknown."""
    address2: str | None


class RevocationRequest(BaseModel):
    """The end user whose client tokens are revoked."""

    model_config = ConfigDict(
        extra="allow",
    )
    end_user_id: str
    """Your ID for the end user."""


class RevocationResponse(BaseModel):
    """The number of tokens that were revoked."""

    revoked_count: int
    """Number of active tokens that this call revoked. Expired and previously revoked tokens are not counted."""


class ScanResponse(BaseModel):
    """The foods of a meal with their total nutrients."""

    meal_name: str | None
    """Name of the meal; null if it has none."""
    total_nutrients: NutrientTable
    """Sum over the detections; a nutrient that is unknown in one of them is omitted."""
    detections: list[DetectionResponse]
    """Empty if no food was recognized."""


class ScannedServingResponse(BaseModel):
    """The amount that was eaten, in the unit of a serving."""

    id: str
    """ID of the serving."""
    quantity: float
    """Amount that was eaten, in the unit of the serving."""
    unit: str
    """Unit of the serving, such as cup or g."""
    scaling_factor: float | None
    """Nutrients of the amount relative to those of the food's default serving; null if a correction was sent without it."""
    weight_grams: float | None
    """Weight of the amount in grams; null if a correction was sent without it."""
    is_primary: bool
    """Whether this is the default serving."""


class SentDetection(BaseModel):
    """A detection as a scan returned it."""

    model_config = ConfigDict(
        extra="allow",
    )
    confidence_score: Literal["high", "medium", "low"] | None = None
    food: SentFood


class SentEnergy(BaseModel):
    """Energy in kcal."""

    model_config = ConfigDict(
        extra="allow",
    )
    value: float
    unit: Literal["kcal"]


class SentFood(BaseModel):
    """A food as a scan returned it."""

    model_config = ConfigDict(
        extra="allow",
    )
    id: str | int
    name: str
    brand_name: str | None = None
    nutrients: SentNutrients | None = None
    servings: list[SentServing]
    """The amount that was eaten; servings after the first are ignored."""


class SentGrams(BaseModel):
    """An amount in g."""

    model_config = ConfigDict(
        extra="allow",
    )
    value: float
    unit: Literal["g"]


class SentMilligrams(BaseModel):
    """An amount in mg."""

    model_config = ConfigDict(
        extra="allow",
    )
    value: float
    unit: Literal["mg"]


class SentNutrients(BaseModel):
    """Nutrients in the amount that was eaten. If one of the ten nutrients of v1.1 is omitted, it counts as zero."""

    model_config = ConfigDict(
        extra="allow",
    )
    calories: SentEnergy | None = None
    protein: SentGrams | None = None
    carbohydrates: SentGrams | None = None
    total_fat: SentGrams | None = None
    trans_fat: SentGrams | None = None
    saturated_fat: SentGrams | None = None
    fiber: SentGrams | None = None
    total_sugars: SentGrams | None = None
    added_sugars: SentGrams | None = None
    cholesterol: SentMilligrams | None = None
    calcium: SentMilligrams | None = None
    iron: SentMilligrams | None = None
    potassium: SentMilligrams | None = None
    sodium: SentMilligrams | None = None
    vitamin_d: SentUnits | None = None
    net_carbohydrates: SentGrams | None = None


class SentServing(BaseModel):
    """The amount that was eaten, in the unit of a serving."""

    model_config = ConfigDict(
        extra="allow",
    )
    id: str | int
    quantity: float
    unit: str
    scaling_factor: float | None = None
    weight_grams: float | None = None
    is_primary: bool | None = None


class SentUnits(BaseModel):
    """An amount in IU."""

    model_config = ConfigDict(
        extra="allow",
    )
    value: float
    unit: Literal["IU"]


class ServingChoice(BaseModel):
    """A serving of the food and, optionally, the quantity."""

    model_config = ConfigDict(
        extra="allow",
    )
    id: str | int
    """ID of the serving."""
    quantity: float | None = None
    """Amount in the serving's unit: 150 means 150 g if the unit is g."""


class ServingDetails(BaseModel):
    """The serving as it was when the food was logged."""

    id: str
    unit: str
    """Unit of the serving, such as cup or g."""
    quantity: float
    """Number of units in the serving, such as 1 for "1 cup"."""
    weight_grams: float | None
    """Weight in grams; null if unknown."""


class ServingResponse(BaseModel):
    """A serving of a food."""

    id: str
    quantity: float
    """Number of units in the serving, such as 1 for "1 cup"."""
    unit: str
    """Unit of the serving, such as cup or g."""
    scaling_factor: float
    """Nutrients of this serving relative to those of the default serving."""
    weight_grams: float | None
    """Weight in grams; null if unknown."""
    is_primary: bool
    """Whether this is the default serving."""


class Sex(BaseModel):
    value: Literal["female", "male"]


class SuggestionPage(BaseModel):
    """Suggestions: generic foods before branded foods, best match first within each type."""

    items: list[SuggestionResponse]


class SuggestionResponse(BaseModel):
    """A suggested food."""

    id: str
    type: Literal["generic", "branded"]
    name: str
    brand_name: str | None
    """Brand; null for generic foods."""
    image_url: str | None
    nutrients: EnergyTable


class TextScanRequest(BaseModel):
    """A meal in plain English."""

    model_config = ConfigDict(
        extra="allow",
    )
    text: str
    """The meal, such as `2 eggs and toast`."""


class UserProfile(BaseModel):
    """Profile of the end user."""

    model_config = ConfigDict(
        extra="allow",
    )
    age: float
    """Age in years."""
    sex: Literal["female", "male"] | Sex
    height: Height
    weight: Weight
    activity_level: (
        Literal["sedentary", "lightly_active", "moderately_active", "very_active"] | None
    ) = None
    health_conditions: (
        list[
            Literal[
                "type_1_diabetes",
                "type_2_diabetes",
                "prediabetes",
                "gestational_diabetes",
                "lada",
                "cystic_fibrosis_related_diabetes",
                "diabetes_unknown_type",
                "none",
                "other",
            ]
        ]
        | None
    ) = None
    """Health conditions; `none` cannot be combined with others."""


class WarningResponse(BaseModel):
    """Something that was not used, and what to send instead."""

    code: str
    """One of `meals_after_meal`, `meals_not_usable`, `model_ignores_input`, `reading_after_meal`, `reading_too_old`, `sensor_missing`, `trace_after_meal`, `trace_ended_early`, `trace_flat`, `trace_mixed`, `trace_too_old`, `trace_too_short`, `readings_averaged`, `time_zone_unknown`. Later releases may add codes."""
    field: str
    """The field of the request."""
    message: str
    """What is wrong, and what to do."""


class Weight(BaseModel):
    """Weight, 1 to 700 kg."""

    model_config = ConfigDict(
        extra="allow",
    )
    value: float
    unit: Literal["lb", "kg"]
