# Written by serve/client/generate.py; do not edit.
"""Clients of version 1.1 of the API."""

from __future__ import annotations

from datetime import date
from typing import Literal

from postmeal_client.connection import AsyncConnection, Connection, Request, path_of

from . import models

__all__ = ["AsyncClient", "Client"]


class Client(Connection):
    """Blocking calls; see `Connection` for the arguments."""

    def search_foods(
        self,
        *,
        x_partner_user_id: str | None = None,
        query: str | None = None,
        category: Literal["branded", "general", "recipe"] | None = None,
        upc: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> models.FoundFoodsResponse:
        """Search foods by name or barcode.

        A name search returns the best matches first, and never more than the first 40 matches. A
        barcode search returns the product with that barcode, in any category, or no items. If neither
        `query` nor `upc` is sent, `items` is empty.

        Parameters
        ----------
        x_partner_user_id
            Your ID for the user: stable, opaque and free of personal data. For a registered user, the UUID is accepted too.
        query
            Name of a food, or part of it. Cannot be combined with `upc`.
        category
            Category of a name search. Default: `general`. Ready dishes are in `general` and in `recipe`.
        upc
            Barcode of a product. Cannot be combined with `query`; `category` is ignored.
        limit
            Maximum number of foods to return. A name search never returns more than 40.
        offset
            Number of matches to skip. A name search reaches only the first 40 matches.
        """
        return self._call(
            Request(
                "GET",
                "/v1.1/search/foods",
                query={
                    "query": query,
                    "category": category,
                    "upc": upc,
                    "limit": limit,
                    "offset": offset,
                },
                headers={"x-partner-user-id": x_partner_user_id},
            ),
            models.FoundFoodsResponse,
        )

    def search_meal_text(
        self, *, x_partner_user_id: str | None = None, query: str | None = None
    ) -> models.MealTextResponse:
        """Search foods in plain English.

        Return the foods that the text names, each with the nutrients in the stated amount. If no amount
        is stated, a typical amount is used. Text that matches no food is listed in the header
        `X-Unread`; if no food is found, `totalNutrients` and `detections` are empty.

        Parameters
        ----------
        x_partner_user_id
            Your ID for the user: stable, opaque and free of personal data. For a registered user, the UUID is accepted too.
        query
            Meal in plain English, such as `2 eggs and toast`. If omitted, nothing is detected.
        """
        return self._call(
            Request(
                "GET",
                "/v1.1/search/foods/nlp",
                query={"query": query},
                headers={"x-partner-user-id": x_partner_user_id},
            ),
            models.MealTextResponse,
        )

    def search_restaurants(
        self,
        *,
        query: str,
        lat: float | None = None,
        lon: float | None = None,
        distance: float | None = None,
        limit: int | None = None,
    ) -> models.RestaurantItemsResponse:
        """Search restaurants by name.

        With `lat` and `lon`, return the restaurants within `distance`, nearest first. If no restaurant
        matches `query`, return matching dishes of nearby restaurants instead. Without coordinates,
        return the restaurants whose name matches, without their distance and address.

        Parameters
        ----------
        query
            Name of a restaurant. An empty value returns the nearest restaurants.
        lat
            Latitude in degrees (WGS 84). Must be sent together with the other coordinate.
        lon
            Longitude in degrees (WGS 84). Must be sent together with the other coordinate.
        distance
            Maximum distance in meters.
        limit
            Maximum number of items.
        """
        return self._call(
            Request(
                "GET",
                "/v1.1/search/restaurants",
                query={
                    "query": query,
                    "lat": lat,
                    "lon": lon,
                    "distance": distance,
                    "limit": limit,
                },
            ),
            models.RestaurantItemsResponse,
        )

    def search_menus(
        self,
        *,
        query: str,
        lat: float,
        lon: float,
        distance: float | None = None,
        limit: int | None = None,
    ) -> models.MenuItemsResponse:
        """Search dishes of restaurants near a location.

        Return the dishes that match `query` by their own name or by the name of their restaurant,
        nearest restaurant first.

        Parameters
        ----------
        query
            Name of a dish or of a restaurant.
        lat
            Latitude in degrees (WGS 84).
        lon
            Longitude in degrees (WGS 84).
        distance
            Maximum distance in meters.
        limit
            Maximum number of items.
        """
        return self._call(
            Request(
                "GET",
                "/v1.1/search/restaurants/menu",
                query={
                    "query": query,
                    "lat": lat,
                    "lon": lon,
                    "distance": distance,
                    "limit": limit,
                },
            ),
            models.MenuItemsResponse,
        )

    def scan_photo(
        self, body: models.PhotoScanRequest, *, x_partner_user_id: str
    ) -> models.ScanResponse:
        """Scan a photo of a meal.

        Return the food in the photo with the nutrients in a typical amount, because one photo does not
        show the portion. If the photo shows a barcode, the product is returned with `high` confidence.
        Otherwise, the dish is returned; `detections` is empty if the dish is not recognized with at
        least `low` confidence. Other foods on the plate can be added with `POST
        /v1.1/vision/foods/fix-ai`.

        The photo is not stored. Metadata such as the location is dropped before the photo is processed.
        The foods are recorded in the scan history of the user, as fingerprints.

        Parameters
        ----------
        x_partner_user_id
            Your ID for the user: stable, opaque and free of personal data. For a registered user, the UUID is accepted too.
        """
        return self._call(
            Request(
                "POST",
                "/v1.1/vision/foods",
                headers={"x-partner-user-id": x_partner_user_id},
                body=body,
            ),
            models.ScanResponse,
        )

    def fix_scan(
        self, body: models.FixScanRequest, *, x_partner_user_id: str
    ) -> models.ScanResponse:
        """Correct a scan in plain English.

        Send each detection exactly as a scan returned it, and what to change: amounts ("I ate half of
        the rice"), foods that were not eaten ("no honey"), missing foods ("there was also an egg") or
        wrong foods ("the beef was turkey"). A text that is not completely understood changes nothing:
        the scan is returned as it was, and the text is listed in the header `X-Unread`.

        A nutrient may be omitted only if a scan of this user in the last 30 days returned exactly the
        same food. The nutrient then counts as zero. Otherwise, the response is a generic 500.

        Parameters
        ----------
        x_partner_user_id
            Your ID for the user: stable, opaque and free of personal data. For a registered user, the UUID is accepted too.
        """
        return self._call(
            Request(
                "POST",
                "/v1.1/vision/foods/fix-ai",
                headers={"x-partner-user-id": x_partner_user_id},
                body=body,
            ),
            models.ScanResponse,
        )

    def fix_scan_at_older_path(
        self, body: models.FixScanRequest, *, x_partner_user_id: str
    ) -> models.ScanResponse:
        """Correct a scan in plain English, at the older path.

        This operation behaves like `POST /v1.1/vision/foods/fix-ai`.

        Parameters
        ----------
        x_partner_user_id
            Your ID for the user: stable, opaque and free of personal data. For a registered user, the UUID is accepted too.
        """
        return self._call(
            Request(
                "POST",
                "/v1.1/vision/fix-ai",
                headers={"x-partner-user-id": x_partner_user_id},
                body=body,
            ),
            models.ScanResponse,
        )

    def food_alternatives(
        self, foodId: str, body: models.FoodAlternativesRequest
    ) -> models.FoodAlternativesResponse:
        """Find healthier alternatives to a food.

        Alternatives are of the same kind as the food, such as bread or soft drinks, and are at least as
        healthy according to the UK nutrient profiling model (FSA and Ofcom, 2004-5). They contain no
        restricted ingredients and fit all preferences. Foods with insufficient data are excluded.
        Always check the label, because the data can be out of date. Traces that are not declared on the
        label are not in the data either. The list is empty if no food is suitable.

        Parameters
        ----------
        foodId
            ID of the food to replace.
        """
        return self._call(
            Request("POST", path_of("/v1.1/food-alternatives/{foodId}", foodId=foodId), body=body),
            models.FoodAlternativesResponse,
        )

    def log_foods(
        self, body: models.LogFoodsRequest, *, x_partner_user_id: str
    ) -> models.LogResponse:
        """Create a food log.

        Each `quantity` is in the serving's unit. The log stores the current names and nutrients of the
        foods, so later changes to the food database do not affect it.

        Parameters
        ----------
        x_partner_user_id
            Your ID for the user: stable, opaque and free of personal data. For a registered user, the UUID is accepted too.
        """
        return self._call(
            Request(
                "POST",
                "/v1.1/logs/foods",
                headers={"x-partner-user-id": x_partner_user_id},
                body=body,
                stores=True,
            ),
            models.LogResponse,
        )

    def list_logs(self, *, x_partner_user_id: str, start: date, end: date) -> models.LogsResponse:
        """List food logs.

        Return the user's logs from `start` to `end`, both inclusive, ordered by time and then by ID.

        Parameters
        ----------
        x_partner_user_id
            Your ID for the user: stable, opaque and free of personal data. For a registered user, the UUID is accepted too.
        start
            First day of the range, in UTC.
        end
            Last day of the range, in UTC, inclusive.
        """
        return self._call(
            Request(
                "GET",
                "/v1.1/logs/foods",
                query={"start": start, "end": end},
                headers={"x-partner-user-id": x_partner_user_id},
            ),
            models.LogsResponse,
        )

    def delete_log(self, log_id: str, *, x_partner_user_id: str) -> models.LogDeletedResponse:
        """Delete a food log.

        The request succeeds even if the user has no log with this ID.

        Parameters
        ----------
        log_id
            ID of the food log.
        x_partner_user_id
            Your ID for the user: stable, opaque and free of personal data. For a registered user, the UUID is accepted too.
        """
        return self._call(
            Request(
                "DELETE",
                path_of("/v1.1/logs/foods/{log_id}", log_id=log_id),
                headers={"x-partner-user-id": x_partner_user_id},
            ),
            models.LogDeletedResponse,
        )

    def glucose_predict(
        self, body: models.GlucosePredictRequest, *, x_partner_timezone: str
    ) -> models.GlucosePredictResponse:
        """Predict glucose after a meal.

        Return a two-hour glucose curve of nine points and an impact score.

        With `cgmData` and `consumedFoods`, the prediction is personalized: a model is fitted to the
        readings and foods from before the meal, and the curve starts at the last reading if that is at
        most 15 minutes old. An older reading counts less, and not at all after 60 minutes. If the
        history has fewer than five complete days, the response is 400, and the message lists what each
        day lacks. If the history cannot be modeled, for example because the readings never change, the
        response is 422. Readings at the same time are averaged. If they differ by more than 20 mg/dL,
        `X-Warnings` contains `readings_averaged`.

        Nothing in the request is stored.

        Parameters
        ----------
        x_partner_timezone
            IANA time zone of the user, such as America/New_York.
        """
        return self._call(
            Request(
                "POST",
                "/v1.1/cgm/glucose-predict",
                headers={"x-partner-timezone": x_partner_timezone},
                body=body,
            ),
            models.GlucosePredictResponse,
        )

    def user_glucose_predict(
        self,
        body: models.UserGlucosePredictRequest,
        *,
        x_partner_user_id: str,
        x_partner_timezone: str,
    ) -> models.GlucosePredictResponse:
        """Predict glucose after a meal for a trained user.

        The prediction uses the stored profile and the user's personal model. If the personal model was
        not more accurate than the population model on held-out days, the population model is used and
        reported in `X-Model-Version`. If your agreement includes this option, the prediction also takes
        into account the last meal in the food logs from the six hours before the start.

        The response is 400 if the user has not been trained, or if the population model used in
        training has been retired. It is 503 if the stored model cannot be read. In each of these cases,
        train the user to resolve the error.

        Parameters
        ----------
        x_partner_user_id
            UUID of a registered user. Your own ID for the user is not accepted.
        x_partner_timezone
            IANA time zone of the user, such as America/New_York.
        """
        return self._call(
            Request(
                "POST",
                "/v1.1/cgm/user-glucose-predict",
                headers={
                    "x-partner-user-id": x_partner_user_id,
                    "x-partner-timezone": x_partner_timezone,
                },
                body=body,
            ),
            models.GlucosePredictResponse,
        )

    def create_user(
        self, body: models.UserRequest, *, x_partner_user_id: str | None = None
    ) -> models.UserResponse:
        """Create a user.

        The response contains the UUID of the user. If you send your own ID as `x-partner-user-id`, both
        IDs identify the user from then on, and food logs stored under your ID belong to the user.

        Parameters
        ----------
        x_partner_user_id
            Your ID for the new user. If sent, both this ID and the UUID identify the user.
        """
        return self._call(
            Request(
                "POST",
                "/v1.1/user",
                headers={"x-partner-user-id": x_partner_user_id},
                body=body,
                stores=True,
            ),
            models.UserResponse,
        )

    def get_user(self, *, x_partner_user_id: str) -> models.UserResponse:
        """Get a user.

        The response is 404 if the user is not registered.

        Parameters
        ----------
        x_partner_user_id
            Your ID for the user: stable, opaque and free of personal data. For a registered user, the UUID is accepted too.
        """
        return self._call(
            Request("GET", "/v1.1/user", headers={"x-partner-user-id": x_partner_user_id}),
            models.UserResponse,
        )

    def change_user(
        self, body: models.UserRequest, *, x_partner_user_id: str
    ) -> models.UserResponse:
        """Update a user.

        `age`, `gender`, `height` and `weight` are required; omitted optional fields keep their values.
        A personal model does not change until the user is trained again.

        Parameters
        ----------
        x_partner_user_id
            Your ID for the user: stable, opaque and free of personal data. For a registered user, the UUID is accepted too.
        """
        return self._call(
            Request(
                "PATCH", "/v1.1/user", headers={"x-partner-user-id": x_partner_user_id}, body=body
            ),
            models.UserResponse,
        )

    def delete_user(self, *, x_partner_user_id: str) -> models.UserDeletedResponse:
        """Delete a user and all their data.

        The user's profile, food logs, personal model and client tokens are deleted, even if the user
        was never registered. The request succeeds even if the ID is unknown. Client tokens of the user
        can no longer be used to write data and are rejected within 60 seconds. The same ID can be
        registered again at once.

        Parameters
        ----------
        x_partner_user_id
            Your ID for the user: stable, opaque and free of personal data. For a registered user, the UUID is accepted too.
        """
        return self._call(
            Request("DELETE", "/v1.1/user", headers={"x-partner-user-id": x_partner_user_id}),
            models.UserDeletedResponse,
        )

    def list_users(self) -> models.UsersResponse:
        """List all users, oldest first.

        List all users, oldest first.
        """
        return self._call(Request("GET", "/v1.1/users"), models.UsersResponse)

    def train_user(
        self,
        body: models.TrainingRequest,
        *,
        x_partner_user_id: str,
        x_partner_timezone: str | None = None,
    ) -> models.TrainingResponse:
        """Train a personal model for a user.

        The model is fitted to the complete days of the history and replaces any earlier model. If there
        are fewer than five complete days, the response is 400. If the history cannot be modeled, for
        example because the readings never change, the response is 422. A failed request or a later
        change to the profile does not affect the stored model.

        Days and hours are those of the time zone in `x-partner-timezone`. If it is omitted, they have
        the offset of each timestamp, and timestamps in `Z` get the offset of the nearest other one. If
        all timestamps are in `Z`, days are in UTC, the model learns nothing about hours of the day, and
        `X-Warnings` contains `time_zone_unknown`. The offset `+00:00` is treated like `Z`.

        Readings at the same time are averaged. If they differ by more than 20 mg/dL, `X-Warnings`
        contains `readings_averaged`.

        Only the model is stored, in less than 2,048 bytes. Readings and meals are not stored. The
        example request shows the format, but is too short for training.

        Parameters
        ----------
        x_partner_user_id
            Your ID for the user: stable, opaque and free of personal data. For a registered user, the UUID is accepted too.
        x_partner_timezone
            IANA time zone of the user, which determines days and hours. If omitted, the offset of each timestamp determines them; `Z` and `+00:00` do not state local time.
        """
        return self._call(
            Request(
                "POST",
                "/v1.1/user/training",
                headers={
                    "x-partner-user-id": x_partner_user_id,
                    "x-partner-timezone": x_partner_timezone,
                },
                body=body,
                stores=True,
            ),
            models.TrainingResponse,
        )


class AsyncClient(AsyncConnection):
    """Asynchronous calls; see `AsyncConnection` for the arguments."""

    async def search_foods(
        self,
        *,
        x_partner_user_id: str | None = None,
        query: str | None = None,
        category: Literal["branded", "general", "recipe"] | None = None,
        upc: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> models.FoundFoodsResponse:
        """Search foods by name or barcode.

        A name search returns the best matches first, and never more than the first 40 matches. A
        barcode search returns the product with that barcode, in any category, or no items. If neither
        `query` nor `upc` is sent, `items` is empty.

        Parameters
        ----------
        x_partner_user_id
            Your ID for the user: stable, opaque and free of personal data. For a registered user, the UUID is accepted too.
        query
            Name of a food, or part of it. Cannot be combined with `upc`.
        category
            Category of a name search. Default: `general`. Ready dishes are in `general` and in `recipe`.
        upc
            Barcode of a product. Cannot be combined with `query`; `category` is ignored.
        limit
            Maximum number of foods to return. A name search never returns more than 40.
        offset
            Number of matches to skip. A name search reaches only the first 40 matches.
        """
        return await self._call(
            Request(
                "GET",
                "/v1.1/search/foods",
                query={
                    "query": query,
                    "category": category,
                    "upc": upc,
                    "limit": limit,
                    "offset": offset,
                },
                headers={"x-partner-user-id": x_partner_user_id},
            ),
            models.FoundFoodsResponse,
        )

    async def search_meal_text(
        self, *, x_partner_user_id: str | None = None, query: str | None = None
    ) -> models.MealTextResponse:
        """Search foods in plain English.

        Return the foods that the text names, each with the nutrients in the stated amount. If no amount
        is stated, a typical amount is used. Text that matches no food is listed in the header
        `X-Unread`; if no food is found, `totalNutrients` and `detections` are empty.

        Parameters
        ----------
        x_partner_user_id
            Your ID for the user: stable, opaque and free of personal data. For a registered user, the UUID is accepted too.
        query
            Meal in plain English, such as `2 eggs and toast`. If omitted, nothing is detected.
        """
        return await self._call(
            Request(
                "GET",
                "/v1.1/search/foods/nlp",
                query={"query": query},
                headers={"x-partner-user-id": x_partner_user_id},
            ),
            models.MealTextResponse,
        )

    async def search_restaurants(
        self,
        *,
        query: str,
        lat: float | None = None,
        lon: float | None = None,
        distance: float | None = None,
        limit: int | None = None,
    ) -> models.RestaurantItemsResponse:
        """Search restaurants by name.

        With `lat` and `lon`, return the restaurants within `distance`, nearest first. If no restaurant
        matches `query`, return matching dishes of nearby restaurants instead. Without coordinates,
        return the restaurants whose name matches, without their distance and address.

        Parameters
        ----------
        query
            Name of a restaurant. An empty value returns the nearest restaurants.
        lat
            Latitude in degrees (WGS 84). Must be sent together with the other coordinate.
        lon
            Longitude in degrees (WGS 84). Must be sent together with the other coordinate.
        distance
            Maximum distance in meters.
        limit
            Maximum number of items.
        """
        return await self._call(
            Request(
                "GET",
                "/v1.1/search/restaurants",
                query={
                    "query": query,
                    "lat": lat,
                    "lon": lon,
                    "distance": distance,
                    "limit": limit,
                },
            ),
            models.RestaurantItemsResponse,
        )

    async def search_menus(
        self,
        *,
        query: str,
        lat: float,
        lon: float,
        distance: float | None = None,
        limit: int | None = None,
    ) -> models.MenuItemsResponse:
        """Search dishes of restaurants near a location.

        Return the dishes that match `query` by their own name or by the name of their restaurant,
        nearest restaurant first.

        Parameters
        ----------
        query
            Name of a dish or of a restaurant.
        lat
            Latitude in degrees (WGS 84).
        lon
            Longitude in degrees (WGS 84).
        distance
            Maximum distance in meters.
        limit
            Maximum number of items.
        """
        return await self._call(
            Request(
                "GET",
                "/v1.1/search/restaurants/menu",
                query={
                    "query": query,
                    "lat": lat,
                    "lon": lon,
                    "distance": distance,
                    "limit": limit,
                },
            ),
            models.MenuItemsResponse,
        )

    async def scan_photo(
        self, body: models.PhotoScanRequest, *, x_partner_user_id: str
    ) -> models.ScanResponse:
        """Scan a photo of a meal.

        Return the food in the photo with the nutrients in a typical amount, because one photo does not
        show the portion. If the photo shows a barcode, the product is returned with `high` confidence.
        Otherwise, the dish is returned; `detections` is empty if the dish is not recognized with at
        least `low` confidence. Other foods on the plate can be added with `POST
        /v1.1/vision/foods/fix-ai`.

        The photo is not stored. Metadata such as the location is dropped before the photo is processed.
        The foods are recorded in the scan history of the user, as fingerprints.

        Parameters
        ----------
        x_partner_user_id
            Your ID for the user: stable, opaque and free of personal data. For a registered user, the UUID is accepted too.
        """
        return await self._call(
            Request(
                "POST",
                "/v1.1/vision/foods",
                headers={"x-partner-user-id": x_partner_user_id},
                body=body,
            ),
            models.ScanResponse,
        )

    async def fix_scan(
        self, body: models.FixScanRequest, *, x_partner_user_id: str
    ) -> models.ScanResponse:
        """Correct a scan in plain English.

        Send each detection exactly as a scan returned it, and what to change: amounts ("I ate half of
        the rice"), foods that were not eaten ("no honey"), missing foods ("there was also an egg") or
        wrong foods ("the beef was turkey"). A text that is not completely understood changes nothing:
        the scan is returned as it was, and the text is listed in the header `X-Unread`.

        A nutrient may be omitted only if a scan of this user in the last 30 days returned exactly the
        same food. The nutrient then counts as zero. Otherwise, the response is a generic 500.

        Parameters
        ----------
        x_partner_user_id
            Your ID for the user: stable, opaque and free of personal data. For a registered user, the UUID is accepted too.
        """
        return await self._call(
            Request(
                "POST",
                "/v1.1/vision/foods/fix-ai",
                headers={"x-partner-user-id": x_partner_user_id},
                body=body,
            ),
            models.ScanResponse,
        )

    async def fix_scan_at_older_path(
        self, body: models.FixScanRequest, *, x_partner_user_id: str
    ) -> models.ScanResponse:
        """Correct a scan in plain English, at the older path.

        This operation behaves like `POST /v1.1/vision/foods/fix-ai`.

        Parameters
        ----------
        x_partner_user_id
            Your ID for the user: stable, opaque and free of personal data. For a registered user, the UUID is accepted too.
        """
        return await self._call(
            Request(
                "POST",
                "/v1.1/vision/fix-ai",
                headers={"x-partner-user-id": x_partner_user_id},
                body=body,
            ),
            models.ScanResponse,
        )

    async def food_alternatives(
        self, foodId: str, body: models.FoodAlternativesRequest
    ) -> models.FoodAlternativesResponse:
        """Find healthier alternatives to a food.

        Alternatives are of the same kind as the food, such as bread or soft drinks, and are at least as
        healthy according to the UK nutrient profiling model (FSA and Ofcom, 2004-5). They contain no
        restricted ingredients and fit all preferences. Foods with insufficient data are excluded.
        Always check the label, because the data can be out of date. Traces that are not declared on the
        label are not in the data either. The list is empty if no food is suitable.

        Parameters
        ----------
        foodId
            ID of the food to replace.
        """
        return await self._call(
            Request("POST", path_of("/v1.1/food-alternatives/{foodId}", foodId=foodId), body=body),
            models.FoodAlternativesResponse,
        )

    async def log_foods(
        self, body: models.LogFoodsRequest, *, x_partner_user_id: str
    ) -> models.LogResponse:
        """Create a food log.

        Each `quantity` is in the serving's unit. The log stores the current names and nutrients of the
        foods, so later changes to the food database do not affect it.

        Parameters
        ----------
        x_partner_user_id
            Your ID for the user: stable, opaque and free of personal data. For a registered user, the UUID is accepted too.
        """
        return await self._call(
            Request(
                "POST",
                "/v1.1/logs/foods",
                headers={"x-partner-user-id": x_partner_user_id},
                body=body,
                stores=True,
            ),
            models.LogResponse,
        )

    async def list_logs(
        self, *, x_partner_user_id: str, start: date, end: date
    ) -> models.LogsResponse:
        """List food logs.

        Return the user's logs from `start` to `end`, both inclusive, ordered by time and then by ID.

        Parameters
        ----------
        x_partner_user_id
            Your ID for the user: stable, opaque and free of personal data. For a registered user, the UUID is accepted too.
        start
            First day of the range, in UTC.
        end
            Last day of the range, in UTC, inclusive.
        """
        return await self._call(
            Request(
                "GET",
                "/v1.1/logs/foods",
                query={"start": start, "end": end},
                headers={"x-partner-user-id": x_partner_user_id},
            ),
            models.LogsResponse,
        )

    async def delete_log(self, log_id: str, *, x_partner_user_id: str) -> models.LogDeletedResponse:
        """Delete a food log.

        The request succeeds even if the user has no log with this ID.

        Parameters
        ----------
        log_id
            ID of the food log.
        x_partner_user_id
            Your ID for the user: stable, opaque and free of personal data. For a registered user, the UUID is accepted too.
        """
        return await self._call(
            Request(
                "DELETE",
                path_of("/v1.1/logs/foods/{log_id}", log_id=log_id),
                headers={"x-partner-user-id": x_partner_user_id},
            ),
            models.LogDeletedResponse,
        )

    async def glucose_predict(
        self, body: models.GlucosePredictRequest, *, x_partner_timezone: str
    ) -> models.GlucosePredictResponse:
        """Predict glucose after a meal.

        Return a two-hour glucose curve of nine points and an impact score.

        With `cgmData` and `consumedFoods`, the prediction is personalized: a model is fitted to the
        readings and foods from before the meal, and the curve starts at the last reading if that is at
        most 15 minutes old. An older reading counts less, and not at all after 60 minutes. If the
        history has fewer than five complete days, the response is 400, and the message lists what each
        day lacks. If the history cannot be modeled, for example because the readings never change, the
        response is 422. Readings at the same time are averaged. If they differ by more than 20 mg/dL,
        `X-Warnings` contains `readings_averaged`.

        Nothing in the request is stored.

        Parameters
        ----------
        x_partner_timezone
            IANA time zone of the user, such as America/New_York.
        """
        return await self._call(
            Request(
                "POST",
                "/v1.1/cgm/glucose-predict",
                headers={"x-partner-timezone": x_partner_timezone},
                body=body,
            ),
            models.GlucosePredictResponse,
        )

    async def user_glucose_predict(
        self,
        body: models.UserGlucosePredictRequest,
        *,
        x_partner_user_id: str,
        x_partner_timezone: str,
    ) -> models.GlucosePredictResponse:
        """Predict glucose after a meal for a trained user.

        The prediction uses the stored profile and the user's personal model. If the personal model was
        not more accurate than the population model on held-out days, the population model is used and
        reported in `X-Model-Version`. If your agreement includes this option, the prediction also takes
        into account the last meal in the food logs from the six hours before the start.

        The response is 400 if the user has not been trained, or if the population model used in
        training has been retired. It is 503 if the stored model cannot be read. In each of these cases,
        train the user to resolve the error.

        Parameters
        ----------
        x_partner_user_id
            UUID of a registered user. Your own ID for the user is not accepted.
        x_partner_timezone
            IANA time zone of the user, such as America/New_York.
        """
        return await self._call(
            Request(
                "POST",
                "/v1.1/cgm/user-glucose-predict",
                headers={
                    "x-partner-user-id": x_partner_user_id,
                    "x-partner-timezone": x_partner_timezone,
                },
                body=body,
            ),
            models.GlucosePredictResponse,
        )

    async def create_user(
        self, body: models.UserRequest, *, x_partner_user_id: str | None = None
    ) -> models.UserResponse:
        """Create a user.

        The response contains the UUID of the user. If you send your own ID as `x-partner-user-id`, both
        IDs identify the user from then on, and food logs stored under your ID belong to the user.

        Parameters
        ----------
        x_partner_user_id
            Your ID for the new user. If sent, both this ID and the UUID identify the user.
        """
        return await self._call(
            Request(
                "POST",
                "/v1.1/user",
                headers={"x-partner-user-id": x_partner_user_id},
                body=body,
                stores=True,
            ),
            models.UserResponse,
        )

    async def get_user(self, *, x_partner_user_id: str) -> models.UserResponse:
        """Get a user.

        The response is 404 if the user is not registered.

        Parameters
        ----------
        x_partner_user_id
            Your ID for the user: stable, opaque and free of personal data. For a registered user, the UUID is accepted too.
        """
        return await self._call(
            Request("GET", "/v1.1/user", headers={"x-partner-user-id": x_partner_user_id}),
            models.UserResponse,
        )

    async def change_user(
        self, body: models.UserRequest, *, x_partner_user_id: str
    ) -> models.UserResponse:
        """Update a user.

        `age`, `gender`, `height` and `weight` are required; omitted optional fields keep their values.
        A personal model does not change until the user is trained again.

        Parameters
        ----------
        x_partner_user_id
            Your ID for the user: stable, opaque and free of personal data. For a registered user, the UUID is accepted too.
        """
        return await self._call(
            Request(
                "PATCH", "/v1.1/user", headers={"x-partner-user-id": x_partner_user_id}, body=body
            ),
            models.UserResponse,
        )

    async def delete_user(self, *, x_partner_user_id: str) -> models.UserDeletedResponse:
        """Delete a user and all their data.

        The user's profile, food logs, personal model and client tokens are deleted, even if the user
        was never registered. The request succeeds even if the ID is unknown. Client tokens of the user
        can no longer be used to write data and are rejected within 60 seconds. The same ID can be
        registered again at once.

        Parameters
        ----------
        x_partner_user_id
            Your ID for the user: stable, opaque and free of personal data. For a registered user, the UUID is accepted too.
        """
        return await self._call(
            Request("DELETE", "/v1.1/user", headers={"x-partner-user-id": x_partner_user_id}),
            models.UserDeletedResponse,
        )

    async def list_users(self) -> models.UsersResponse:
        """List all users, oldest first.

        List all users, oldest first.
        """
        return await self._call(Request("GET", "/v1.1/users"), models.UsersResponse)

    async def train_user(
        self,
        body: models.TrainingRequest,
        *,
        x_partner_user_id: str,
        x_partner_timezone: str | None = None,
    ) -> models.TrainingResponse:
        """Train a personal model for a user.

        The model is fitted to the complete days of the history and replaces any earlier model. If there
        are fewer than five complete days, the response is 400. If the history cannot be modeled, for
        example because the readings never change, the response is 422. A failed request or a later
        change to the profile does not affect the stored model.

        Days and hours are those of the time zone in `x-partner-timezone`. If it is omitted, they have
        the offset of each timestamp, and timestamps in `Z` get the offset of the nearest other one. If
        all timestamps are in `Z`, days are in UTC, the model learns nothing about hours of the day, and
        `X-Warnings` contains `time_zone_unknown`. The offset `+00:00` is treated like `Z`.

        Readings at the same time are averaged. If they differ by more than 20 mg/dL, `X-Warnings`
        contains `readings_averaged`.

        Only the model is stored, in less than 2,048 bytes. Readings and meals are not stored. The
        example request shows the format, but is too short for training.

        Parameters
        ----------
        x_partner_user_id
            Your ID for the user: stable, opaque and free of personal data. For a registered user, the UUID is accepted too.
        x_partner_timezone
            IANA time zone of the user, which determines days and hours. If omitted, the offset of each timestamp determines them; `Z` and `+00:00` do not state local time.
        """
        return await self._call(
            Request(
                "POST",
                "/v1.1/user/training",
                headers={
                    "x-partner-user-id": x_partner_user_id,
                    "x-partner-timezone": x_partner_timezone,
                },
                body=body,
                stores=True,
            ),
            models.TrainingResponse,
        )
