# Written by serve/client/generate.py; do not edit.

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, RootModel


class AlternativeFoodResponse(BaseModel):
    """An alternative food."""

    name: str
    id: int
    brandName: str
    """Brand; empty for generic foods."""
    nutrients: AlternativeNutrients
    servings: list[RecommendedServingResponse]


class AlternativeNutrients(BaseModel):
    """Nutrients in the recommended serving; unknown and exactly zero amounts are omitted."""

    calories: NutrientResponse | None = None
    protein: NutrientResponse | None = None
    carbohydrates: NutrientResponse | None = None
    totalFat: NutrientResponse | None = None
    fiber: NutrientResponse | None = None


class CgmDatum(BaseModel):
    timestamp: str
    value: float
    """mg/dL."""


class ConsumedFood(BaseModel):
    """A food, one of its servings, a quantity and the time at which the food was eaten."""

    model_config = ConfigDict(
        extra="allow",
    )
    id: int
    """ID of the food."""
    serving: ServingItem
    timestamp: str
    """When the food was eaten, in ISO 8601 format."""


class ConsumedServingResponse(BaseModel):
    """The amount that was eaten."""

    id: int
    """ID of the serving."""
    quantity: float
    """Amount in the serving's unit."""


class DetectedFoodResponse(BaseModel):
    """A recognized food with the nutrients of the amount eaten."""

    name: str
    id: int
    brandName: str
    """Brand; empty for generic foods."""
    nutrients: DetectedNutrients
    servings: list[DetectedServingResponse]


class DetectedNutrients(BaseModel):
    """Amounts of nutrients; unknown and exactly zero amounts are omitted."""

    calories: NutrientResponse | None = None
    protein: NutrientResponse | None = None
    carbohydrates: NutrientResponse | None = None
    totalFat: NutrientResponse | None = None
    saturatedFat: NutrientResponse | None = None
    fiber: NutrientResponse | None = None
    totalSugars: NutrientResponse | None = None
    addedSugars: NutrientResponse | None = None
    sodium: NutrientResponse | None = None
    netCarbohydrates: NutrientResponse | None = None


class DetectedServingResponse(BaseModel):
    """The serving that the amount refers to."""

    id: int
    quantity: float
    """Number of units in the serving, such as 1 for "1 cup"."""
    unit: str
    """Unit of the serving, such as cup or g."""
    selected_quantity: float | None = None
    """Amount eaten, in the serving's unit; omitted if the serving has no weight."""


class DetectionResponse(BaseModel):
    """A recognized food."""

    food: DetectedFoodResponse


class ErrorContent(BaseModel):
    """The status, message and details of an error."""

    code: int
    """HTTP status."""
    message: str
    """What is wrong."""
    details: ErrorDetails | None
    """The invalid field; null if no single field is invalid."""


class ErrorDetails(BaseModel):
    """The invalid field and the values it accepts."""

    field: str
    """Name of the invalid parameter, header or field."""
    allowed: list[str]
    """Accepted values; empty if they cannot be listed."""


class ErrorResponse(BaseModel):
    """The body of every error."""

    error: ErrorContent


class FixScanRequest(BaseModel):
    """A scan and a description of what to change in it."""

    model_config = ConfigDict(
        extra="allow",
    )
    mealName: str
    """Name of the meal, which is returned unchanged."""
    detections: list[SentDetection]
    """Detections, exactly as a scan returned them."""
    userInput: str
    """The change in plain English, such as `I ate half of the rice`."""


class FoodAlternativeResponse(BaseModel):
    """An entry in the list of alternatives."""

    food: AlternativeFoodResponse


class FoodAlternativesRequest(BaseModel):
    """The diet that alternatives must fit; send `["None"]` for no restriction or preference."""

    model_config = ConfigDict(
        extra="allow",
    )
    dietRestrictions: list[
        Literal[
            "None",
            "Gluten",
            "Lactose",
            "Yeast",
            "Tree nuts",
            "Peanuts",
            "Dairy",
            "Eggs",
            "Sulfites",
            "Soy",
            "Wheat",
            "Shellfish",
            "Fish",
            "Mushrooms",
            "Sesame",
            "Monosodium glutamate (MSG)",
            "Caffeine",
            "FODMAPs",
        ]
    ]
    """Ingredients that alternatives must not contain; `None` is ignored."""
    dietPreferences: list[
        Literal[
            "None",
            "Vegetarian",
            "Vegan",
            "Keto",
            "Paleo",
            "Pescatarian",
            "Low carbohydrate",
            "High protein",
            "Kosher",
        ]
    ]
    """Diets that alternatives must fit; `None` is ignored."""


class FoodAlternativesResponse(BaseModel):
    """Alternative foods, best match first; empty if no food is suitable."""

    alternatives: list[FoodAlternativeResponse]


class FoodItem(BaseModel):
    """A food, one of its servings and a quantity."""

    model_config = ConfigDict(
        extra="allow",
    )
    id: int
    """ID of the food."""
    serving: ServingItem


class FoundFoodResponse(BaseModel):
    """A food with the nutrients of its primary serving; unknown amounts are null."""

    id: int
    name: str
    brand_name: str | None
    """Brand; null for generic foods."""
    protein: float | None
    """Protein in g."""
    energy: float | None
    """Energy in kcal."""
    carbs: float | None
    """Carbohydrate in g."""
    fat: float | None
    """Fat in g."""
    fat_total_saturated: float | None
    """Saturated fat in g."""
    net_carbs: float | None
    """Carbohydrate minus fiber, in g."""
    sodium: float | None
    """Sodium in mg."""
    sugars: float | None
    """Sugars in g."""
    added_sugars: float | None
    """Added sugars in g."""
    gi: float | None
    """Glycemic index (glucose = 100)."""
    gl: float | None
    """Glycemic load."""
    fiber: float | None
    """Fiber in g."""
    potassium: float | None = None
    """Potassium in mg; not returned for `category=recipe`."""
    cholesterol: float | None = None
    """Cholesterol in mg; not returned for `category=recipe`."""
    photo_url: str | None
    servings: list[FoundServingResponse]


class FoundFoodsResponse(BaseModel):
    """Foods, best match first."""

    totalCount: int
    """Number of matches that can be returned; at most 40 for a name search."""
    items: list[FoundFoodResponse]


class FoundServingResponse(BaseModel):
    """A serving of a food."""

    id: int
    quantity: float
    """Number of units in the serving, such as 1 for "1 cup"."""
    unit: str
    """Unit of the serving, such as cup or g."""
    scaling_factor: float
    """Nutrients of this serving relative to those of the primary serving."""
    weight_grams: float | None
    """Weight in grams; null if unknown."""
    is_primary: bool
    """Whether the food's nutrients are for this serving."""


class GlucosePredictRequest(BaseModel):
    """The user's profile, the meal and, optionally, a CGM history."""

    model_config = ConfigDict(
        extra="allow",
    )
    userProfile: UserProfile
    foods: list[FoodItem]
    """Foods of the meal."""
    startTime: str
    """Start of the meal in ISO 8601. Without an offset, it is local time in the zone of `x-partner-timezone`."""
    cgmData: list[CgmDatum] | None = None
    """CGM readings from before the meal, in any order, at most 100,000. Requires `consumedFoods`. At least 5 days must be complete, with readings in 48 quarter-hours and food at 2 different times."""
    consumedFoods: list[ConsumedFood] | None = None
    """Foods eaten during the period of `cgmData`; ignored without `cgmData`."""


class GlucosePredictResponse(BaseModel):
    """The predicted glucose curve over the two hours from the start of the meal."""

    cgp: list[list[float]]
    """Pairs of minutes since the start of the meal and glucose in mg/dL."""
    scoring: Literal["low_impact", "medium_impact", "high_impact"]
    """How strongly the meal is predicted to raise glucose."""
    cgp_min: int
    """Lower bound of the user's glucose range in mg/dL."""
    cgp_max: int
    """Upper bound of the user's glucose range in mg/dL."""


class LogDeletedResponse(BaseModel):
    """Confirmation that the user has no food log with the given ID."""

    status: Literal["deleted"]


class LogFoodsRequest(BaseModel):
    """The foods that were eaten, and when; omit optional fields instead of sending null."""

    model_config = ConfigDict(
        extra="allow",
    )
    foods: list[FoodItem]
    """Foods that were eaten."""
    timestampUtc: str | None = None
    """When the meal was eaten, in UTC, ending in `Z`. Defaults to the current time."""
    name: str | None = None
    """Name of the meal, such as Breakfast."""


class LogNutrients(BaseModel):
    """Amounts of nutrients; unknown and exactly zero amounts are omitted."""

    calories: NutrientResponse | None = None
    protein: NutrientResponse | None = None
    carbohydrates: NutrientResponse | None = None
    totalFat: NutrientResponse | None = None
    saturatedFat: NutrientResponse | None = None
    fiber: NutrientResponse | None = None
    totalSugars: NutrientResponse | None = None
    addedSugars: NutrientResponse | None = None
    sodium: NutrientResponse | None = None
    transFat: NutrientResponse | None = None
    cholesterol: NutrientResponse | None = None
    calcium: NutrientResponse | None = None
    iron: NutrientResponse | None = None
    potassium: NutrientResponse | None = None
    vitaminD: NutrientResponse | None = None
    netCarbohydrates: NutrientResponse | None = None


class LogResponse(BaseModel):
    """A food log, which contains the foods that a user ate at one time."""

    id: str
    """ID of the food log."""
    foods: list[LoggedFoodResponse]
    timestampUtc: AwareDatetime
    """When the meal was eaten, in UTC."""
    name: str | None
    """Name of the meal; null if it has none."""


class LoggedFoodResponse(BaseModel):
    """A food as it was when it was logged."""

    id: int
    name: str
    brandName: str | None
    """Brand; null for generic foods."""
    imageUrl: str | None
    glycemicIndex: float | None
    """Glycemic index (glucose = 100); null if unknown."""
    glycemicLoad: float | None
    """Glycemic load of the amount eaten; null if unknown."""
    nutrients: LogNutrients
    """Nutrients in the amount eaten."""
    consumedServing: ConsumedServingResponse
    servingDetails: ServingDetailsResponse


class LogsResponse(RootModel[list[LogResponse]]):
    """Food logs, ordered by time and then by ID."""

    root: Annotated[list[LogResponse], Field(title="LogsResponse")]
    """Food logs, ordered by time and then by ID."""


class MealTextResponse(BaseModel):
    """The foods in a meal text and their total nutrients."""

    totalNutrients: DetectedNutrients
    detections: list[DetectionResponse]


class MenuItemResponse(BaseModel):
    """A dish of a restaurant with the nutrients of its serving; unknown amounts are null."""

    type: Literal["menu_item"]
    id: str
    """ID of the food."""
    name: str
    restaurant_name: str
    is_chain: bool
    data_source_id: int
    """Data source of the dish: 1 for the food catalog, 2 for an imported menu."""
    source_original_id: str
    """ID of the dish in the data source."""
    protein: float | None
    """Protein in g."""
    energy: float | None
    """Energy in kcal."""
    carbs: float | None
    """Carbohydrate in g."""
    net_carbs: float | None
    """Carbohydrate minus fiber, in g."""
    sugars: float | None
    """Sugars in g."""
    added_sugars: float | None
    """Added sugars in g."""
    fat: float | None
    """Fat in g."""
    gi: float | None
    """Glycemic index (glucose = 100)."""
    gl: float | None
    """Glycemic load."""
    fiber: float | None
    """Fiber in g."""
    photo_url: str | None
    servings: list[FoundServingResponse]
    distance: float
    """Great-circle distance in meters."""


class MenuItemsResponse(BaseModel):
    """Dishes, nearest restaurant first."""

    items: list[MenuItemResponse]


class NutrientResponse(BaseModel):
    """An amount and its unit."""

    value: float
    unit: str


class PhotoScanRequest(BaseModel):
    """A photo of a meal: its URL or its content."""

    model_config = ConfigDict(
        extra="allow",
    )
    photoUrl: str | None = None
    """`https` or `http` URL of a photo of at most 10 MiB that anyone can fetch. If it is sent, `photoBase64` is ignored."""
    photoBase64: str | None = None
    """A JPEG file in base64, or a data URL that states the media type of the file."""


class ProfileResponse(BaseModel):
    """The stored profile of a user."""

    age: float
    """Age in years."""
    gender: Literal["female", "male"]
    height: float
    """Height in inches."""
    weight: float
    """Weight in pounds."""
    activity_level: (
        Literal["sedentary", "lightly_active", "moderately_active", "very_active"] | None
    )
    medical_conditions: list[
        Literal[
            "Type 1 diabetes",
            "Type 2 diabetes",
            "Prediabetes",
            "Gestational diabetes (prior pregnancy)",
            "Latent autoimmune diabetes in adults (LADA)",
            "Cystic-fibrosis related diabetes",
            "Diabetes, but not sure which type",
            "None of the above",
            "Other",
        ]
    ]


class RecommendedServingResponse(BaseModel):
    """The recommended amount, about as much as the default serving of the replaced food."""

    id: int
    quantity: float
    """Amount in the unit of the serving."""
    unit: str
    """Unit of the serving, such as cup or g."""


class RegisteredProfile(BaseModel):
    """Profile of a registered user; omit optional fields instead of sending null."""

    model_config = ConfigDict(
        extra="allow",
    )
    age: float
    """Age in years."""
    gender: Literal["female", "male"]
    height: float
    """Height in inches."""
    weight: float
    """Weight in pounds."""
    activityLevel: (
        Literal["sedentary", "lightly_active", "moderately_active", "very_active"] | None
    ) = None
    healthConditions: (
        list[
            Literal[
                "Type 1 diabetes",
                "Type 2 diabetes",
                "Prediabetes",
                "Gestational diabetes (prior pregnancy)",
                "Latent autoimmune diabetes in adults (LADA)",
                "Cystic-fibrosis related diabetes",
                "Diabetes, but not sure which type",
                "None of the above",
                "Other",
            ]
        ]
        | None
    ) = None
    """Health conditions; `None of the above` cannot be combined with others."""


class RestaurantItemResponse(BaseModel):
    """A restaurant. The last four fields are present only if coordinates were sent."""

    type: Literal["restaurant"]
    id: str
    name: str
    is_chain: bool
    distance: float | None = None
    """Great-circle distance in meters. Default: 0."""
    city: str | None = None
    address1: str | None = None
    address2: str | None = None


class RestaurantItemsResponse(BaseModel):
    """Restaurants, or dishes if no restaurant matches."""

    items: list[RestaurantItemResponse | MenuItemResponse]


class ScanResponse(BaseModel):
    """The foods of a meal with their total nutrients."""

    mealName: str
    """Name of the meal or, if it has none, its foods; empty if there are no foods."""
    totalNutrients: DetectedNutrients
    detections: list[ScannedDetectionResponse]


class ScannedDetectionResponse(BaseModel):
    """A recognized food and the confidence of the detection."""

    food: ScannedFoodResponse
    confidenceScore: Literal["high", "medium", "low"]
    """`high`, `medium` or `low`."""


class ScannedFoodResponse(BaseModel):
    """A recognized food with the nutrients of the amount that was eaten."""

    name: str
    id: int
    brandName: str
    """Brand; empty for generic foods."""
    nutrients: DetectedNutrients
    servings: list[ScannedServingResponse]


class ScannedServingResponse(BaseModel):
    """The amount that was eaten, in the unit of a serving."""

    id: int
    """ID of the serving."""
    quantity: float
    """Amount that was eaten, in the unit of the serving."""
    unit: str
    """Unit of the serving, such as cup or g."""


class SentDetection(BaseModel):
    """A detection as a scan returned it."""

    model_config = ConfigDict(
        extra="allow",
    )
    food: SentFood
    confidenceScore: Literal["high", "medium", "low"] | None = None


class SentEnergy(BaseModel):
    """Energy in kcal. Earlier responses used the unit `kcal` instead of `calories`."""

    model_config = ConfigDict(
        extra="allow",
    )
    value: float
    unit: Literal["calories", "kcal"]


class SentFood(BaseModel):
    """A food as a scan returned it."""

    model_config = ConfigDict(
        extra="allow",
    )
    id: int
    name: str
    brandName: str | None = None
    nutrients: SentNutrients
    servings: list[SentServing]
    """The amount that was eaten; servings after the first are ignored."""


class SentGrams(BaseModel):
    """An amount in grams."""

    model_config = ConfigDict(
        extra="allow",
    )
    value: float
    unit: Literal["g", "grams"]


class SentMilligrams(BaseModel):
    """An amount in milligrams."""

    model_config = ConfigDict(
        extra="allow",
    )
    value: float
    unit: Literal["mg", "milligrams"]


class SentNutrients(BaseModel):
    """All ten nutrients of the amount that was eaten. They may be omitted only if a scan of this user returned exactly the same food."""

    model_config = ConfigDict(
        extra="allow",
    )
    calories: SentEnergy | None = None
    protein: SentGrams | None = None
    carbohydrates: SentGrams | None = None
    totalFat: SentGrams | None = None
    saturatedFat: SentGrams | None = None
    fiber: SentGrams | None = None
    totalSugars: SentGrams | None = None
    addedSugars: SentGrams | None = None
    sodium: SentMilligrams | None = None
    netCarbohydrates: SentGrams | None = None
    carbs: SentGrams | None = None
    """Alias of `carbohydrates`, as in earlier responses."""


class SentServing(BaseModel):
    """The amount that was eaten, in the unit of a serving."""

    model_config = ConfigDict(
        extra="allow",
    )
    id: int
    quantity: float
    unit: str
    selected_quantity: float | None = None
    """Amount that was eaten, if the detection is from the plain-English search. It then replaces `quantity`."""


class ServingDetailsResponse(BaseModel):
    """The serving as it was when the food was logged."""

    id: int
    unit: str
    """Unit of the serving, such as cup or g."""
    quantity: float
    """Number of units in the serving, such as 1 for "1 cup"."""
    weightGrams: float | None
    """Weight in grams; null if unknown."""


class ServingItem(BaseModel):
    """A serving of the food and the quantity."""

    model_config = ConfigDict(
        extra="allow",
    )
    id: int
    """ID of the serving."""
    quantity: float
    """Amount in the serving's unit: 150 means 150 g if the unit is g."""


class TrainingRequest(BaseModel):
    """A CGM history and the foods eaten during it."""

    model_config = ConfigDict(
        extra="allow",
    )
    cgm_data: list[CgmDatum]
    """At most 100,000 CGM readings in any order. At least 5 days must be complete, with readings in 48 quarter-hours and food at 2 different times."""
    consumed_foods: list[ConsumedFood]
    """Foods eaten during the period of `cgm_data`."""


class TrainingResponse(BaseModel):
    """The complete days of the CGM history."""

    good_days: list[date]
    """Complete days in ascending order. Only the latest 90 are used for training."""


class UserDeletedResponse(BaseModel):
    """Confirmation that no data about the user remains."""

    status: Literal["deleted"]


class UserGlucosePredictRequest(BaseModel):
    """The meal, as `foods` or `nutrients`, and its start."""

    model_config = ConfigDict(
        extra="allow",
    )
    startTime: str | None = None
    """Start of the meal in ISO 8601. Without an offset, it is local time in the zone of `x-partner-timezone`. Defaults to the current time."""
    foods: list[FoodItem] | None = None
    """Foods of the meal."""
    nutrients: Any | None = None
    """Nutrients of the meal, used only if `foods` is omitted: an object with at least one of water, energy, protein, fat_total_lipid, carbohydrate, fiber, sugars, calcium, iron, potassium, sodium, vit_c, vit_a_iu, fat_total_saturated, fat_total_monounsaturated, fat_total_polyunsaturated, fat_total_trans, cholesterol, caffeine. Amounts are in g, except `energy` in kcal, `sodium` in mg and `vit_a_iu` in IU. `carbohydrate` matters most; if omitted, it is the sum of `sugars` and `fiber`. `protein` and `fat_total_lipid` default to 0."""


class UserProfile(BaseModel):
    """Profile of the user; all fields are required."""

    model_config = ConfigDict(
        extra="allow",
    )
    age: float
    """Age in years."""
    gender: Literal["female", "male"]
    height: float
    """Height in inches."""
    weight: float
    """Weight in pounds."""
    activityLevel: Literal["sedentary", "lightly_active", "moderately_active", "very_active"]
    healthConditions: list[
        Literal[
            "Type 1 diabetes",
            "Type 2 diabetes",
            "Prediabetes",
            "Gestational diabetes (prior pregnancy)",
            "Latent autoimmune diabetes in adults (LADA)",
            "Cystic-fibrosis related diabetes",
            "Diabetes, but not sure which type",
            "None of the above",
            "Other",
        ]
    ]
    """Health conditions; `None of the above` cannot be combined with others."""


class UserRequest(BaseModel):
    """The profile of a user."""

    model_config = ConfigDict(
        extra="allow",
    )
    profile: RegisteredProfile


class UserResponse(BaseModel):
    """A registered user."""

    user_id: UUID
    """UUID of the user."""
    profile: ProfileResponse


class UsersResponse(RootModel[list[UserResponse]]):
    """All users of the partner."""

    root: Annotated[list[UserResponse], Field(title="UsersResponse")]
    """All users of the partner."""
