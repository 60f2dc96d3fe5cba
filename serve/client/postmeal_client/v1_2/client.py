# Written by serve/client/generate.py; do not edit.
"""Clients of version 1.2 of the API."""

from __future__ import annotations

from datetime import date
from typing import Literal

from postmeal_client.connection import AsyncConnection, Connection, Request, path_of

from . import models

__all__ = ["AsyncClient", "Client"]


class Client(Connection):
    """Blocking calls; see `Connection` for the arguments."""

    def read_credits(self) -> models.CreditBalance:
        """Get the credit balance.

        This request is free, does not count toward the monthly allowances, and works even when they are
        exhausted.
        """
        return self._call(Request("GET", "/v1.2/credits"), models.CreditBalance)

    def mint_client_token(self, body: models.ClientTokenRequest) -> models.ClientTokenResponse:
        """Mint a client token.

        The token is bound to one end user and lets an app call the operations in its scopes directly.
        Mint one token per user session and reuse it until it expires; every call creates a new token.
        The token is returned only once.
        """
        return self._call(
            Request("POST", "/v1.2/auth/client-tokens", body=body, stores=True),
            models.ClientTokenResponse,
        )

    def revoke_client_tokens(self, body: models.RevocationRequest) -> models.RevocationResponse:
        """Revoke the client tokens of an end user.

        Each call revokes at most 500 active tokens; repeat it until `revoked_count` is 0. Revoked
        tokens are rejected within 60 seconds.
        """
        return self._call(
            Request("POST", "/v1.2/auth/client-token-revocations", body=body),
            models.RevocationResponse,
        )

    def autocomplete_foods(
        self,
        *,
        query: str,
        type: Literal["generic", "branded"] | None = None,
        limit: int | None = None,
    ) -> models.SuggestionPage:
        """Suggest foods while the user types.

        The last word may be incomplete. The list is empty if `query` has fewer than two letters or
        digits, if nothing matches, or if the search index is damaged.

        Parameters
        ----------
        query
            Text typed so far. With fewer than two letters or digits, nothing is suggested.
        type
            Type of food; if omitted, both types are suggested, generic foods first.
        limit
            Maximum number of suggestions.
        """
        return self._call(
            Request(
                "GET",
                "/v1.2/foods/autocomplete",
                query={"query": query, "type": type, "limit": limit},
            ),
            models.SuggestionPage,
        )

    def search_foods(
        self,
        *,
        query: str,
        type: Literal["generic", "branded", "recipe"] | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> models.FoodPage:
        """Search foods by name.

        Return the best matches first, each food with its default serving. The list is empty if nothing
        matches or `offset` is past the end. A page with fewer than `limit` foods is the last page. If
        words of the query had to be dropped to find foods, `matched_without` lists them.

        Parameters
        ----------
        query
            Name of a food, or part of it.
        type
            Type of food; if omitted, all three types are searched and ranked together.
        limit
            Maximum number of foods to return; values above 50 are treated as 50.
        offset
            Number of matches to skip.
        """
        return self._call(
            Request(
                "GET",
                "/v1.2/foods",
                query={"query": query, "type": type, "limit": limit, "offset": offset},
            ),
            models.FoodPage,
        )

    def read_barcode(self, barcode: str) -> models.FoodResponse:
        """Look up a food by barcode.

        Return the food with its default serving. A barcode with a wrong check digit returns 404. To
        save bandwidth, send the `ETag` of an earlier response as `If-None-Match`.

        Parameters
        ----------
        barcode
            UPC-E, UPC-A, EAN-8, EAN-13 or GTIN-14. Leading zeros are ignored.
        """
        return self._call(
            Request("GET", path_of("/v1.2/foods/barcode/{barcode}", barcode=barcode)),
            models.FoodResponse,
        )

    def read_food(self, food_id: str) -> models.FoodResponse:
        """Get a food.

        Return the food with all its servings; the nutrients are for the default serving. To save
        bandwidth, send the `ETag` of an earlier response as `If-None-Match`.

        Parameters
        ----------
        food_id
            ID of the food.
        """
        return self._call(
            Request("GET", path_of("/v1.2/foods/{food_id}", food_id=food_id)), models.FoodResponse
        )

    def food_alternatives(
        self, food_id: str, body: models.AlternativesRequest
    ) -> models.AlternativesResponse:
        """Find healthier alternatives to a food.

        Alternatives are of the same kind as the food, such as bread or soft drinks, and are at least as
        healthy according to the UK nutrient profiling model (FSA and Ofcom, 2004-5). They contain no
        restricted ingredients and fit all preferences. Foods with insufficient data are excluded.
        Always check the label, because the data can be out of date. Traces that are not declared on the
        label are not in the data either. The list is empty if no food is suitable.

        Parameters
        ----------
        food_id
            ID of the food.
        """
        return self._call(
            Request(
                "POST", path_of("/v1.2/foods/{food_id}/alternatives", food_id=food_id), body=body
            ),
            models.AlternativesResponse,
        )

    def search_restaurants(
        self,
        *,
        query: str,
        latitude: float,
        longitude: float,
        radius_meters: float | None = None,
        limit: int | None = None,
    ) -> models.RestaurantPage:
        """Search restaurants near a location.

        Return the restaurants whose name matches, nearest first. Dishes are not searched; use
        `GET /v1.2/menu-items` for them.

        Parameters
        ----------
        query
            Name of a restaurant or a chain.
        latitude
            Latitude in degrees (WGS 84).
        longitude
            Longitude in degrees (WGS 84).
        radius_meters
            Maximum distance in meters, rounded half up to a whole number.
        limit
            Maximum number of items.
        """
        return self._call(
            Request(
                "GET",
                "/v1.2/restaurants",
                query={
                    "query": query,
                    "latitude": latitude,
                    "longitude": longitude,
                    "radius_meters": radius_meters,
                    "limit": limit,
                },
            ),
            models.RestaurantPage,
        )

    def read_menu(
        self, restaurant_id: str, *, limit: int | None = None, offset: int | None = None
    ) -> models.MenuPage:
        """List the menu of a restaurant.

        Return the foods ordered by name, each with its default serving; `GET /v1.2/foods/{food_id}`
        returns all servings. The list is empty if the restaurant is unknown or has no menu.

        Parameters
        ----------
        restaurant_id
            ID of the restaurant.
        limit
            Maximum number of items.
        offset
            Number of items to skip.
        """
        return self._call(
            Request(
                "GET",
                path_of(
                    "/v1.2/restaurants/{restaurant_id}/menu-items", restaurant_id=restaurant_id
                ),
                query={"limit": limit, "offset": offset},
            ),
            models.MenuPage,
        )

    def search_menu_items(
        self,
        *,
        query: str,
        latitude: float,
        longitude: float,
        radius_meters: float | None = None,
        limit: int | None = None,
    ) -> models.MenuItemPage:
        """Search dishes of restaurants near a location.

        Return the dishes whose name matches, nearest restaurant first. Only restaurants with a menu are
        searched.

        Parameters
        ----------
        query
            Name of a dish, or part of it.
        latitude
            Latitude in degrees (WGS 84).
        longitude
            Longitude in degrees (WGS 84).
        radius_meters
            Maximum distance in meters, rounded half up to a whole number.
        limit
            Maximum number of items.
        """
        return self._call(
            Request(
                "GET",
                "/v1.2/menu-items",
                query={
                    "query": query,
                    "latitude": latitude,
                    "longitude": longitude,
                    "radius_meters": radius_meters,
                    "limit": limit,
                },
            ),
            models.MenuItemPage,
        )

    def create_food_log(
        self,
        body: models.FoodLogRequest,
        *,
        service_end_user_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> models.FoodLogResponse:
        """Create a food log.

        Each `quantity` is in the serving's unit. The log stores the current names and nutrients of the
        foods, so later changes to the food database do not affect it.

        With an `Idempotency-Key`, repeating a request does not create a second log and returns the
        first response again. Using the key for a different request returns 422. Repeating the request
        while the first is still in progress returns 409. If the log has since been deleted, the
        response is 404, and the log is not created again.

        Parameters
        ----------
        service_end_user_id
            Your ID for the end user. Required with an API key; ignored with a client token, which is bound to its end user.
        idempotency_key
            Unique key of this request, such as a UUID. Repeating the request with the same key within 24 hours does not create a second log and returns the first response again.
        """
        return self._call(
            Request(
                "POST",
                "/v1.2/food-logs",
                headers={
                    "Service-End-User-ID": service_end_user_id,
                    "Idempotency-Key": idempotency_key,
                },
                body=body,
                stores=True,
            ),
            models.FoodLogResponse,
        )

    def list_food_logs(
        self,
        *,
        service_end_user_id: str | None = None,
        start: date,
        end: date,
        timezone: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> models.FoodLogPage:
        """List food logs.

        Return the end user's logs from `start` to `end`, both inclusive, ordered by time and then by
        ID. Without `limit`, the response contains all of them.

        With `limit`, the response contains a `next_cursor` as long as more logs follow. To get the next
        page, repeat the request with this value as `cursor`, for the same end user, days and time zone.
        Logs that are added, deleted or moved to another time while you read the pages may be missing;
        moved logs may also appear twice.

        Parameters
        ----------
        service_end_user_id
            Your ID for the end user. Required with an API key; ignored with a client token, which is bound to its end user.
        start
            First day of the range.
        end
            Last day of the range, inclusive.
        timezone
            IANA time zone of `start` and `end`, such as America/New_York. Default: UTC.
        limit
            Maximum number of logs per page. If omitted, all logs are returned.
        cursor
            `next_cursor` of the previous page for the same user, dates and time zone.
        """
        return self._call(
            Request(
                "GET",
                "/v1.2/food-logs",
                query={
                    "start": start,
                    "end": end,
                    "timezone": timezone,
                    "limit": limit,
                    "cursor": cursor,
                },
                headers={"Service-End-User-ID": service_end_user_id},
            ),
            models.FoodLogPage,
        )

    def read_food_log(
        self, log_id: str, *, service_end_user_id: str | None = None
    ) -> models.FoodLogResponse:
        """Get a food log.

        Get a food log.

        Parameters
        ----------
        log_id
            ID of the food log.
        service_end_user_id
            Your ID for the end user. Required with an API key; ignored with a client token, which is bound to its end user.
        """
        return self._call(
            Request(
                "GET",
                path_of("/v1.2/food-logs/{log_id}", log_id=log_id),
                headers={"Service-End-User-ID": service_end_user_id},
            ),
            models.FoodLogResponse,
        )

    def change_food_log(
        self, log_id: str, body: models.FoodLogChange, *, service_end_user_id: str | None = None
    ) -> models.FoodLogResponse:
        """Update a food log.

        Omitted fields keep their values. Set `name` to null to remove it.

        Parameters
        ----------
        log_id
            ID of the food log.
        service_end_user_id
            Your ID for the end user. Required with an API key; ignored with a client token, which is bound to its end user.
        """
        return self._call(
            Request(
                "PATCH",
                path_of("/v1.2/food-logs/{log_id}", log_id=log_id),
                headers={"Service-End-User-ID": service_end_user_id},
                body=body,
            ),
            models.FoodLogResponse,
        )

    def delete_food_log(self, log_id: str, *, service_end_user_id: str | None = None) -> None:
        """Delete a food log.

        The response is 204 even if the end user has no log with this ID.

        Parameters
        ----------
        log_id
            ID of the food log.
        service_end_user_id
            Your ID for the end user. Required with an API key; ignored with a client token, which is bound to its end user.
        """
        self._send(
            Request(
                "DELETE",
                path_of("/v1.2/food-logs/{log_id}", log_id=log_id),
                headers={"Service-End-User-ID": service_end_user_id},
            )
        )

    def scan_photo(self, body: models.PhotoScanRequest) -> models.ScanResponse:
        """Scan a photo of a meal.

        Return the food in the photo with the nutrients in a typical amount, because one photo does not
        show the portion. If the photo shows a barcode, the product is returned with `high` confidence.
        Otherwise, the dish is returned; `detections` is empty if the dish is not recognized with at
        least `low` confidence. Other foods on the plate can be added with a correction. Servers with a
        vision model may return several foods with estimated amounts.

        Neither the photo nor the scan is stored. Metadata such as the location is dropped before the
        photo is processed. A photo that cannot be used gets 400 with the code
        `image_format_unsupported`, `image_corrupt`, `image_invalid_base64`, `image_unreachable` or
        `invalid_request`.
        """
        return self._call(Request("POST", "/v1.2/food-scans/photo", body=body), models.ScanResponse)

    def scan_text(self, body: models.TextScanRequest) -> models.ReadScanResponse:
        """Scan a meal that is described in words.

        Return the foods that the text names, each with the nutrients in the stated amount. If no amount
        is stated, a typical amount is used. `confidence_score` is `medium` if the text states the
        amount and clearly names the food, otherwise `low`. Words that match no food are in `unread`.
        Neither the text nor the scan is stored.
        """
        return self._call(
            Request("POST", "/v1.2/food-scans/text", body=body), models.ReadScanResponse
        )

    def correct_food_scan(self, body: models.CorrectionRequest) -> models.ReadScanResponse:
        """Correct a scan in plain English.

        Send the detections of a scan and what to change: amounts ("I ate half of the rice", "2 cups"),
        foods that were not eaten ("no honey"), missing foods ("there was also an egg") or wrong foods
        ("the beef was turkey"). The response is the corrected scan.

        A text that is not completely understood changes nothing: the scan is returned as it was, and
        the text is in `unread`. If one of the ten nutrients of v1.1 is omitted, it counts as zero.
        Neither the text nor the scan is stored.
        """
        return self._call(
            Request("POST", "/v1.2/food-scans/corrections", body=body), models.ReadScanResponse
        )

    def predict_glucose(
        self,
        body: models.PredictionRequest,
        *,
        band: Literal["true", "false"] | None = None,
        include: str | None = None,
        x_end_user_timezone: str | None = None,
    ) -> models.PredictionResponse:
        """Predict glucose after a meal.

        Return a two-hour glucose curve, an impact score and bounds for a chart. `include` adds more.

        The curve is that of people with the same health conditions, moved by whatever else is known:
        readings of the last days without a food log (`recent_cgm`), foods with readings after them
        (`recent_meals`), a reading at the start (`current_glucose`), `hba1c` and `fasting_glucose`.
        `inputs_used` lists which of the fields can change the curve, and `warnings` what was not used
        and what to send instead.

        With `cgm_data` and `consumed_foods`, the prediction is personalized: a model is fitted to the
        readings and foods from before the meal, and the curve starts at the last reading if that is at
        most 15 minutes old. An older reading counts less, and not at all after 60 minutes. If the
        history has fewer than five complete days, the response is 400, and the message lists what each
        day lacks. If the history cannot be modeled, for example because the readings never change, the
        response is 422.

        The hour of the meal and the hours of the history affect the prediction. They are those of the
        time zone in `timezone` or `x-end-user-timezone`. If none is sent, they have the offset of
        `start_time`, or if that is `Z`, the offsets in the history. If all of these are `Z`, effects of
        the hour are not used, the band is wider, and `warnings` contains `time_zone_unknown`. The
        offset `+00:00` is treated like `Z`. A time zone is more accurate than an offset if the clocks
        change during the history.

        Readings at the same time are averaged. If they differ by more than 20 mg/dL, `warnings`
        contains `readings_averaged`. The header `X-Warnings` repeats these two codes.

        `previous_meals` lists the foods eaten in the hours before the meal, because they may still
        affect glucose. If a history is sent, its last meal is taken into account as well.

        Nothing in the request is stored.

        Parameters
        ----------
        band
            Whether each point includes `lower` and `upper`, the bounds of the 90% band; the same as `include=band`. Default: false.
        include
            What to include in the response, separated by commas: `band` (bounds of the 90% band of each point), `nutrients` (of the meal), `contributions` (of each food to the peak), `chances` (probabilities of high peaks and large rises) and `notes` (caveats of the prediction).
        x_end_user_timezone
            IANA time zone of the end user, used if the body has no `timezone`.
        """
        return self._call(
            Request(
                "POST",
                "/v1.2/glucose/predictions",
                query={"band": band, "include": include},
                headers={"x-end-user-timezone": x_end_user_timezone},
                body=body,
            ),
            models.PredictionResponse,
        )

    def search_literature(self, body: models.LiteratureRequest) -> models.LiteratureResponse:
        """Search clinical literature.

        Return passages of English journal articles and clinical guidelines with their citations, best
        match first, and a summary that consists of sentences of the passages. If nothing is found, the
        list of passages is empty. If the summary fails, the passages are returned without it.

        A search costs one credit. The known fields of the request and the response are stored for 30
        days by default. The end user's ID is neither used nor stored.
        """
        return self._call(
            Request("POST", "/v1.2/literature/search", body=body), models.LiteratureResponse
        )

    def create_chat_completion(self, body: models.ChatRequest) -> models.ChatCompletion:
        """Return the answer to a question about food and glucose.

        The response is a chat completion in the format of OpenAI's API. Each sentence of the answer
        states a result of the prediction model, quotes a cited article, or is fixed text. Other fields
        of OpenAI's API, such as `temperature`, are ignored.

        A completion costs one credit. The model name, the messages and the response are stored for 30
        days by default. The end user's ID is neither used nor stored.
        """
        return self._call(
            Request("POST", "/v1.2/chat/completions", body=body), models.ChatCompletion
        )


class AsyncClient(AsyncConnection):
    """Asynchronous calls; see `AsyncConnection` for the arguments."""

    async def read_credits(self) -> models.CreditBalance:
        """Get the credit balance.

        This request is free, does not count toward the monthly allowances, and works even when they are
        exhausted.
        """
        return await self._call(Request("GET", "/v1.2/credits"), models.CreditBalance)

    async def mint_client_token(
        self, body: models.ClientTokenRequest
    ) -> models.ClientTokenResponse:
        """Mint a client token.

        The token is bound to one end user and lets an app call the operations in its scopes directly.
        Mint one token per user session and reuse it until it expires; every call creates a new token.
        The token is returned only once.
        """
        return await self._call(
            Request("POST", "/v1.2/auth/client-tokens", body=body, stores=True),
            models.ClientTokenResponse,
        )

    async def revoke_client_tokens(
        self, body: models.RevocationRequest
    ) -> models.RevocationResponse:
        """Revoke the client tokens of an end user.

        Each call revokes at most 500 active tokens; repeat it until `revoked_count` is 0. Revoked
        tokens are rejected within 60 seconds.
        """
        return await self._call(
            Request("POST", "/v1.2/auth/client-token-revocations", body=body),
            models.RevocationResponse,
        )

    async def autocomplete_foods(
        self,
        *,
        query: str,
        type: Literal["generic", "branded"] | None = None,
        limit: int | None = None,
    ) -> models.SuggestionPage:
        """Suggest foods while the user types.

        The last word may be incomplete. The list is empty if `query` has fewer than two letters or
        digits, if nothing matches, or if the search index is damaged.

        Parameters
        ----------
        query
            Text typed so far. With fewer than two letters or digits, nothing is suggested.
        type
            Type of food; if omitted, both types are suggested, generic foods first.
        limit
            Maximum number of suggestions.
        """
        return await self._call(
            Request(
                "GET",
                "/v1.2/foods/autocomplete",
                query={"query": query, "type": type, "limit": limit},
            ),
            models.SuggestionPage,
        )

    async def search_foods(
        self,
        *,
        query: str,
        type: Literal["generic", "branded", "recipe"] | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> models.FoodPage:
        """Search foods by name.

        Return the best matches first, each food with its default serving. The list is empty if nothing
        matches or `offset` is past the end. A page with fewer than `limit` foods is the last page. If
        words of the query had to be dropped to find foods, `matched_without` lists them.

        Parameters
        ----------
        query
            Name of a food, or part of it.
        type
            Type of food; if omitted, all three types are searched and ranked together.
        limit
            Maximum number of foods to return; values above 50 are treated as 50.
        offset
            Number of matches to skip.
        """
        return await self._call(
            Request(
                "GET",
                "/v1.2/foods",
                query={"query": query, "type": type, "limit": limit, "offset": offset},
            ),
            models.FoodPage,
        )

    async def read_barcode(self, barcode: str) -> models.FoodResponse:
        """Look up a food by barcode.

        Return the food with its default serving. A barcode with a wrong check digit returns 404. To
        save bandwidth, send the `ETag` of an earlier response as `If-None-Match`.

        Parameters
        ----------
        barcode
            UPC-E, UPC-A, EAN-8, EAN-13 or GTIN-14. Leading zeros are ignored.
        """
        return await self._call(
            Request("GET", path_of("/v1.2/foods/barcode/{barcode}", barcode=barcode)),
            models.FoodResponse,
        )

    async def read_food(self, food_id: str) -> models.FoodResponse:
        """Get a food.

        Return the food with all its servings; the nutrients are for the default serving. To save
        bandwidth, send the `ETag` of an earlier response as `If-None-Match`.

        Parameters
        ----------
        food_id
            ID of the food.
        """
        return await self._call(
            Request("GET", path_of("/v1.2/foods/{food_id}", food_id=food_id)), models.FoodResponse
        )

    async def food_alternatives(
        self, food_id: str, body: models.AlternativesRequest
    ) -> models.AlternativesResponse:
        """Find healthier alternatives to a food.

        Alternatives are of the same kind as the food, such as bread or soft drinks, and are at least as
        healthy according to the UK nutrient profiling model (FSA and Ofcom, 2004-5). They contain no
        restricted ingredients and fit all preferences. Foods with insufficient data are excluded.
        Always check the label, because the data can be out of date. Traces that are not declared on the
        label are not in the data either. The list is empty if no food is suitable.

        Parameters
        ----------
        food_id
            ID of the food.
        """
        return await self._call(
            Request(
                "POST", path_of("/v1.2/foods/{food_id}/alternatives", food_id=food_id), body=body
            ),
            models.AlternativesResponse,
        )

    async def search_restaurants(
        self,
        *,
        query: str,
        latitude: float,
        longitude: float,
        radius_meters: float | None = None,
        limit: int | None = None,
    ) -> models.RestaurantPage:
        """Search restaurants near a location.

        Return the restaurants whose name matches, nearest first. Dishes are not searched; use
        `GET /v1.2/menu-items` for them.

        Parameters
        ----------
        query
            Name of a restaurant or a chain.
        latitude
            Latitude in degrees (WGS 84).
        longitude
            Longitude in degrees (WGS 84).
        radius_meters
            Maximum distance in meters, rounded half up to a whole number.
        limit
            Maximum number of items.
        """
        return await self._call(
            Request(
                "GET",
                "/v1.2/restaurants",
                query={
                    "query": query,
                    "latitude": latitude,
                    "longitude": longitude,
                    "radius_meters": radius_meters,
                    "limit": limit,
                },
            ),
            models.RestaurantPage,
        )

    async def read_menu(
        self, restaurant_id: str, *, limit: int | None = None, offset: int | None = None
    ) -> models.MenuPage:
        """List the menu of a restaurant.

        Return the foods ordered by name, each with its default serving; `GET /v1.2/foods/{food_id}`
        returns all servings. The list is empty if the restaurant is unknown or has no menu.

        Parameters
        ----------
        restaurant_id
            ID of the restaurant.
        limit
            Maximum number of items.
        offset
            Number of items to skip.
        """
        return await self._call(
            Request(
                "GET",
                path_of(
                    "/v1.2/restaurants/{restaurant_id}/menu-items", restaurant_id=restaurant_id
                ),
                query={"limit": limit, "offset": offset},
            ),
            models.MenuPage,
        )

    async def search_menu_items(
        self,
        *,
        query: str,
        latitude: float,
        longitude: float,
        radius_meters: float | None = None,
        limit: int | None = None,
    ) -> models.MenuItemPage:
        """Search dishes of restaurants near a location.

        Return the dishes whose name matches, nearest restaurant first. Only restaurants with a menu are
        searched.

        Parameters
        ----------
        query
            Name of a dish, or part of it.
        latitude
            Latitude in degrees (WGS 84).
        longitude
            Longitude in degrees (WGS 84).
        radius_meters
            Maximum distance in meters, rounded half up to a whole number.
        limit
            Maximum number of items.
        """
        return await self._call(
            Request(
                "GET",
                "/v1.2/menu-items",
                query={
                    "query": query,
                    "latitude": latitude,
                    "longitude": longitude,
                    "radius_meters": radius_meters,
                    "limit": limit,
                },
            ),
            models.MenuItemPage,
        )

    async def create_food_log(
        self,
        body: models.FoodLogRequest,
        *,
        service_end_user_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> models.FoodLogResponse:
        """Create a food log.

        Each `quantity` is in the serving's unit. The log stores the current names and nutrients of the
        foods, so later changes to the food database do not affect it.

        With an `Idempotency-Key`, repeating a request does not create a second log and returns the
        first response again. Using the key for a different request returns 422. Repeating the request
        while the first is still in progress returns 409. If the log has since been deleted, the
        response is 404, and the log is not created again.

        Parameters
        ----------
        service_end_user_id
            Your ID for the end user. Required with an API key; ignored with a client token, which is bound to its end user.
        idempotency_key
            Unique key of this request, such as a UUID. Repeating the request with the same key within 24 hours does not create a second log and returns the first response again.
        """
        return await self._call(
            Request(
                "POST",
                "/v1.2/food-logs",
                headers={
                    "Service-End-User-ID": service_end_user_id,
                    "Idempotency-Key": idempotency_key,
                },
                body=body,
                stores=True,
            ),
            models.FoodLogResponse,
        )

    async def list_food_logs(
        self,
        *,
        service_end_user_id: str | None = None,
        start: date,
        end: date,
        timezone: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> models.FoodLogPage:
        """List food logs.

        Return the end user's logs from `start` to `end`, both inclusive, ordered by time and then by
        ID. Without `limit`, the response contains all of them.

        With `limit`, the response contains a `next_cursor` as long as more logs follow. To get the next
        page, repeat the request with this value as `cursor`, for the same end user, days and time zone.
        Logs that are added, deleted or moved to another time while you read the pages may be missing;
        moved logs may also appear twice.

        Parameters
        ----------
        service_end_user_id
            Your ID for the end user. Required with an API key; ignored with a client token, which is bound to its end user.
        start
            First day of the range.
        end
            Last day of the range, inclusive.
        timezone
            IANA time zone of `start` and `end`, such as America/New_York. Default: UTC.
        limit
            Maximum number of logs per page. If omitted, all logs are returned.
        cursor
            `next_cursor` of the previous page for the same user, dates and time zone.
        """
        return await self._call(
            Request(
                "GET",
                "/v1.2/food-logs",
                query={
                    "start": start,
                    "end": end,
                    "timezone": timezone,
                    "limit": limit,
                    "cursor": cursor,
                },
                headers={"Service-End-User-ID": service_end_user_id},
            ),
            models.FoodLogPage,
        )

    async def read_food_log(
        self, log_id: str, *, service_end_user_id: str | None = None
    ) -> models.FoodLogResponse:
        """Get a food log.

        Get a food log.

        Parameters
        ----------
        log_id
            ID of the food log.
        service_end_user_id
            Your ID for the end user. Required with an API key; ignored with a client token, which is bound to its end user.
        """
        return await self._call(
            Request(
                "GET",
                path_of("/v1.2/food-logs/{log_id}", log_id=log_id),
                headers={"Service-End-User-ID": service_end_user_id},
            ),
            models.FoodLogResponse,
        )

    async def change_food_log(
        self, log_id: str, body: models.FoodLogChange, *, service_end_user_id: str | None = None
    ) -> models.FoodLogResponse:
        """Update a food log.

        Omitted fields keep their values. Set `name` to null to remove it.

        Parameters
        ----------
        log_id
            ID of the food log.
        service_end_user_id
            Your ID for the end user. Required with an API key; ignored with a client token, which is bound to its end user.
        """
        return await self._call(
            Request(
                "PATCH",
                path_of("/v1.2/food-logs/{log_id}", log_id=log_id),
                headers={"Service-End-User-ID": service_end_user_id},
                body=body,
            ),
            models.FoodLogResponse,
        )

    async def delete_food_log(self, log_id: str, *, service_end_user_id: str | None = None) -> None:
        """Delete a food log.

        The response is 204 even if the end user has no log with this ID.

        Parameters
        ----------
        log_id
            ID of the food log.
        service_end_user_id
            Your ID for the end user. Required with an API key; ignored with a client token, which is bound to its end user.
        """
        await self._send(
            Request(
                "DELETE",
                path_of("/v1.2/food-logs/{log_id}", log_id=log_id),
                headers={"Service-End-User-ID": service_end_user_id},
            )
        )

    async def scan_photo(self, body: models.PhotoScanRequest) -> models.ScanResponse:
        """Scan a photo of a meal.

        Return the food in the photo with the nutrients in a typical amount, because one photo does not
        show the portion. If the photo shows a barcode, the product is returned with `high` confidence.
        Otherwise, the dish is returned; `detections` is empty if the dish is not recognized with at
        least `low` confidence. Other foods on the plate can be added with a correction. Servers with a
        vision model may return several foods with estimated amounts.

        Neither the photo nor the scan is stored. Metadata such as the location is dropped before the
        photo is processed. A photo that cannot be used gets 400 with the code
        `image_format_unsupported`, `image_corrupt`, `image_invalid_base64`, `image_unreachable` or
        `invalid_request`.
        """
        return await self._call(
            Request("POST", "/v1.2/food-scans/photo", body=body), models.ScanResponse
        )

    async def scan_text(self, body: models.TextScanRequest) -> models.ReadScanResponse:
        """Scan a meal that is described in words.

        Return the foods that the text names, each with the nutrients in the stated amount. If no amount
        is stated, a typical amount is used. `confidence_score` is `medium` if the text states the
        amount and clearly names the food, otherwise `low`. Words that match no food are in `unread`.
        Neither the text nor the scan is stored.
        """
        return await self._call(
            Request("POST", "/v1.2/food-scans/text", body=body), models.ReadScanResponse
        )

    async def correct_food_scan(self, body: models.CorrectionRequest) -> models.ReadScanResponse:
        """Correct a scan in plain English.

        Send the detections of a scan and what to change: amounts ("I ate half of the rice", "2 cups"),
        foods that were not eaten ("no honey"), missing foods ("there was also an egg") or wrong foods
        ("the beef was turkey"). The response is the corrected scan.

        A text that is not completely understood changes nothing: the scan is returned as it was, and
        the text is in `unread`. If one of the ten nutrients of v1.1 is omitted, it counts as zero.
        Neither the text nor the scan is stored.
        """
        return await self._call(
            Request("POST", "/v1.2/food-scans/corrections", body=body), models.ReadScanResponse
        )

    async def predict_glucose(
        self,
        body: models.PredictionRequest,
        *,
        band: Literal["true", "false"] | None = None,
        include: str | None = None,
        x_end_user_timezone: str | None = None,
    ) -> models.PredictionResponse:
        """Predict glucose after a meal.

        Return a two-hour glucose curve, an impact score and bounds for a chart. `include` adds more.

        The curve is that of people with the same health conditions, moved by whatever else is known:
        readings of the last days without a food log (`recent_cgm`), foods with readings after them
        (`recent_meals`), a reading at the start (`current_glucose`), `hba1c` and `fasting_glucose`.
        `inputs_used` lists which of the fields can change the curve, and `warnings` what was not used
        and what to send instead.

        With `cgm_data` and `consumed_foods`, the prediction is personalized: a model is fitted to the
        readings and foods from before the meal, and the curve starts at the last reading if that is at
        most 15 minutes old. An older reading counts less, and not at all after 60 minutes. If the
        history has fewer than five complete days, the response is 400, and the message lists what each
        day lacks. If the history cannot be modeled, for example because the readings never change, the
        response is 422.

        The hour of the meal and the hours of the history affect the prediction. They are those of the
        time zone in `timezone` or `x-end-user-timezone`. If none is sent, they have the offset of
        `start_time`, or if that is `Z`, the offsets in the history. If all of these are `Z`, effects of
        the hour are not used, the band is wider, and `warnings` contains `time_zone_unknown`. The
        offset `+00:00` is treated like `Z`. A time zone is more accurate than an offset if the clocks
        change during the history.

        Readings at the same time are averaged. If they differ by more than 20 mg/dL, `warnings`
        contains `readings_averaged`. The header `X-Warnings` repeats these two codes.

        `previous_meals` lists the foods eaten in the hours before the meal, because they may still
        affect glucose. If a history is sent, its last meal is taken into account as well.

        Nothing in the request is stored.

        Parameters
        ----------
        band
            Whether each point includes `lower` and `upper`, the bounds of the 90% band; the same as `include=band`. Default: false.
        include
            What to include in the response, separated by commas: `band` (bounds of the 90% band of each point), `nutrients` (of the meal), `contributions` (of each food to the peak), `chances` (probabilities of high peaks and large rises) and `notes` (caveats of the prediction).
        x_end_user_timezone
            IANA time zone of the end user, used if the body has no `timezone`.
        """
        return await self._call(
            Request(
                "POST",
                "/v1.2/glucose/predictions",
                query={"band": band, "include": include},
                headers={"x-end-user-timezone": x_end_user_timezone},
                body=body,
            ),
            models.PredictionResponse,
        )

    async def search_literature(self, body: models.LiteratureRequest) -> models.LiteratureResponse:
        """Search clinical literature.

        Return passages of English journal articles and clinical guidelines with their citations, best
        match first, and a summary that consists of sentences of the passages. If nothing is found, the
        list of passages is empty. If the summary fails, the passages are returned without it.

        A search costs one credit. The known fields of the request and the response are stored for 30
        days by default. The end user's ID is neither used nor stored.
        """
        return await self._call(
            Request("POST", "/v1.2/literature/search", body=body), models.LiteratureResponse
        )

    async def create_chat_completion(self, body: models.ChatRequest) -> models.ChatCompletion:
        """Return the answer to a question about food and glucose.

        The response is a chat completion in the format of OpenAI's API. Each sentence of the answer
        states a result of the prediction model, quotes a cited article, or is fixed text. Other fields
        of OpenAI's API, such as `temperature`, are ignored.

        A completion costs one credit. The model name, the messages and the response are stored for 30
        days by default. The end user's ID is neither used nor stored.
        """
        return await self._call(
            Request("POST", "/v1.2/chat/completions", body=body), models.ChatCompletion
        )
