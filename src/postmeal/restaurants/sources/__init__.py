"""Importers of places and menus.

``open_street_map``  OpenStreetMap extracts (``.osm.pbf``)
``geojson``          GeoJSON, and the JSON of the Overpass API
``place_table``      CSV files of places, including exports from Foursquare and Overture
``menu_table``       CSV files of menu items
``tags``             converts OpenStreetMap tags to places
``import_places``    detects the format of files and imports them
"""
